#!/usr/bin/python3
for number in range(60):
    with open(f"/tmp/{number}", "wb") as file:
        file.write(bytes(1 << 20))
