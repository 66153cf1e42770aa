# entry: f()
def f():
    a = [0]
    while True:
        a += a
