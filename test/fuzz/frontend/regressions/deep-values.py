# entry: f()
def f():
    a = []
    for i in range(100000):
        a = [a]
    b = []
    for i in range(100000):
        b = [b]
    return a == b, a < b, str(a), {(1, (2, (3,)))}
