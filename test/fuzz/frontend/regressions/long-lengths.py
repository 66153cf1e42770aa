# entry: f()
def f():
    s = "a" * 1000000
    n = 0
    while True:
        n = len(s) + s.count("b") + s.find("c")
