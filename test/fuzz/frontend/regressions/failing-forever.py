# entry: f()
def f():
    for k in T.Pipelined(False, num_stages = 64):
        continue
    n = 0
    for i in T.Parallel(255):
        while True:
            n = len(s) + s.count("b") + s.find("c")
