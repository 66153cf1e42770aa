# entry: f()
def f():
    x = 3 ** 10000
    while True:
        y = x * x // (x + 1) % 7 + pow(x, x, x - 2)
