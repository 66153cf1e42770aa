# entry: f()
def f():
    s = "a" * 1000000
    for i in range(4000000):
        t = s + "b"
