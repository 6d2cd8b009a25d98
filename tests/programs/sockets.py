#!/usr/bin/python3
# All families but local ones, among them vsock (40), netlink (16), packet (17), alg (38).
import socket
for family in range(2, 50):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        try:
            socket.socket(family, kind)
            print("ESCAPED: family", family)
        except PermissionError:
            pass
        except OSError as error:
            print("ESCAPED: family", family, error)
