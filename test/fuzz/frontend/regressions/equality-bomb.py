# entry: f()
def f():
    a, b = [1], [1]
    for i in range(45):
        a, b = [a, a], [b, b]
    return a == b
