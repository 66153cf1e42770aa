# entry: f()
def f():
    a = [1, 2, 3]
    for i in range(19):
        a = [a, a, a, a]
    return str(a)
