"""Halves what is possible with each guess."""

least, most = 1, int(input())
reply = ""
while reply != "right":
    guess = (least + most) // 2
    print(guess, flush=True)
    reply = input()
    if reply == "higher":
        least = guess + 1
    else:
        most = guess - 1
