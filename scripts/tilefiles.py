"""Writes vector tiles (Mapbox Vector Tile 2.1) and archives of them (PMTiles 3). The same input gives the same bytes."""

import gzip
import json
import struct
import zlib

import numpy as np
import shapely


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def zigzag(number):
    return (number << 1) ^ (number >> 63)


def block(field, content):
    """A field of Protocol Buffers with a length."""
    return varint(field << 3 | 2) + varint(len(content)) + content


def packed(field, numbers):
    return block(field, b"".join(varint(number) for number in numbers))


class Layer:
    """A layer of one tile. A feature is given in the units of the tile: a list of parts, each a list of integer points."""

    POINT, LINE, POLYGON = 1, 2, 3

    def __init__(self, name, extent):
        self.name, self.extent = name, extent
        self.keys, self.values, self.features = {}, {}, []

    def add(self, kind, parts, properties):
        geometry, x, y = [], 0, 0
        for part in parts:
            rest = part[1:]
            for command, points in ((1, part[:1]), (2, rest)):
                if not points:
                    continue
                geometry.append(len(points) << 3 | command)
                for px, py in points:
                    geometry += (zigzag(px - x), zigzag(py - y))
                    x, y = px, py
            if kind == self.POLYGON:
                geometry.append(1 << 3 | 7)
        tags = []
        for key, value in properties.items():
            tags += (
                self.keys.setdefault(key, len(self.keys)),
                self.values.setdefault((type(value), value), len(self.values)),
            )
        self.features.append(packed(2, tags) + bytes([3 << 3, kind]) + packed(4, geometry))

    def encoded(self):
        out = [bytes([15 << 3, 2]), block(1, self.name.encode())]
        out += [block(2, feature) for feature in self.features]
        out += [block(3, key.encode()) for key in self.keys]
        for kind, value in self.values:
            out.append(block(4, block(1, value.encode()) if kind is str else bytes([5 << 3]) + varint(value)))
        out.append(bytes([5 << 3]) + varint(self.extent))
        return block(3, b"".join(out))


def compressed(content):
    """gzip (RFC 1952) without a time and a file name."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15, 9)
    deflated = packer.compress(content) + packer.flush()
    head = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
    return head + deflated + struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF)


# Geometry


def rings(polygon, scale):
    """The rings of a polygon in integer units, the outer one clockwise on the screen; rings without an area are omitted."""
    found = []
    for index, ring in enumerate([polygon.exterior, *polygon.interiors]):
        points = scale(shapely.get_coordinates(ring))[:-1]
        points = [p for i, p in enumerate(points) if p != points[i - 1]]
        area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, points[1:] + points[:1]))
        if len(points) < 3 or area == 0:
            if index == 0:
                return []
            continue
        found.append(points if (area > 0) == (index == 0) else points[::-1])
    return found


def lines(geometry, scale):
    found = []
    for line in shapely.get_parts(geometry):
        points = scale(shapely.get_coordinates(line))
        points = [p for i, p in enumerate(points) if i == 0 or p != points[i - 1]]
        if len(points) > 1:
            found.append(points)
    return found


def only(kind, geometry):
    """The parts of one kind of a geometry, because clipping may produce points and lines of a polygon."""
    parts = shapely.get_parts(shapely.get_parts(geometry))
    return [part for part in parts if shapely.get_type_id(part) == kind]


def cut(zoom, geometries, properties, buffer, column=0, row=0, level=0):
    """Cuts geometries (in units of the world's square) into tiles: yields (column, row, [(geometry, properties)]).

    buffer is the width of the margin, as a part of a tile's width.
    """
    if len(geometries) == 0:
        return
    if level == zoom:
        yield column, row, list(zip(geometries, properties))
        return
    for dy in (0, 1):
        for dx in (0, 1):
            width = 0.5 ** (level + 1)
            west, north = (column * 2 + dx) * width, (row * 2 + dy) * width
            edge = width * buffer
            box = shapely.box(west - edge, north - edge, west + width + edge, north + width + edge)
            bounds = shapely.bounds(geometries)
            inside = (
                (bounds[:, 0] >= west - edge)
                & (bounds[:, 1] >= north - edge)
                & (bounds[:, 2] <= west + width + edge)
                & (bounds[:, 3] <= north + width + edge)
            )
            touching = shapely.intersects(geometries, box)
            pieces = geometries.copy()
            crossing = touching & ~inside
            pieces[crossing] = shapely.intersection(geometries[crossing], box)
            keep = touching & ~shapely.is_empty(pieces)
            kept = [p for p, k in zip(properties, keep) if k]
            yield from cut(zoom, pieces[keep], kept, buffer, column * 2 + dx, row * 2 + dy, level + 1)


class Tiles:
    """The layers of many tiles."""

    def __init__(self):
        self.layers = {}

    def layer(self, zoom, column, row, name, extent):
        tile = self.layers.setdefault((zoom, column, row), {})
        if name not in tile:
            tile[name] = Layer(name, extent)
        return tile[name]

    def add(self, zoom, name, geometries, properties, kind, extent, buffer):
        """Adds polygons (kind Layer.POLYGON) or lines (Layer.LINE) in units of the world's square."""
        geometries = np.array(geometries, dtype=object)
        for column, row, pieces in cut(zoom, geometries, properties, buffer):

            def scale(coordinates):
                units = (coordinates * 2**zoom - (column, row)) * extent
                return [tuple(point) for point in np.rint(units).astype(int).tolist()]

            for geometry, tags in pieces:
                if kind == Layer.POLYGON:
                    parts = [ring for part in only(3, geometry) for ring in rings(part, scale)]
                else:
                    parts = lines(only(1, geometry), scale)
                if parts:
                    self.layer(zoom, column, row, name, extent).add(kind, parts, tags)

    def add_point(self, zoom, name, x, y, properties, extent):
        column, row = (min(max(int(v * 2**zoom), 0), 2**zoom - 1) for v in (x, y))
        place = [(round((v * 2**zoom - t) * extent)) for v, t in ((x, column), (y, row))]
        self.layer(zoom, column, row, name, extent).add(Layer.POINT, [[tuple(place)]], properties)

    def encoded(self):
        return {
            place: compressed(b"".join(layer.encoded() for layer in tile.values())) for place, tile in self.layers.items()
        }


# PMTiles 3


def tile_id(zoom, column, row):
    """The number of a tile: tiles of smaller zooms first, then along a Hilbert curve."""
    number = (4**zoom - 1) // 3
    x, y = column, row
    side = 2 ** (zoom - 1) if zoom else 0
    while side:
        rx, ry = int(bool(x & side)), int(bool(y & side))
        number += side * side * ((3 * rx) ^ ry)
        if ry == 0:
            if rx == 1:
                x, y = (2 * side - 1) - x, (2 * side - 1) - y
            x, y = y, x
        x, y = x & (side - 1), y & (side - 1)
        side //= 2
    return number


def directory(entries):
    """Entries are (tile id, offset, length, run length)."""
    numbers = [len(entries)]
    numbers += [entry[0] - before for entry, before in zip(entries, [0] + [e[0] for e in entries])]
    numbers += [entry[3] for entry in entries]
    numbers += [entry[2] for entry in entries]
    end = None
    for _, offset, length, _ in entries:
        numbers.append(0 if offset == end else offset + 1)
        end = offset + length
    return compressed(b"".join(varint(number) for number in numbers))


def archive(tiles, metadata, bounds):
    """The bytes of an archive of gzipped vector tiles; tiles is {(zoom, column, row): bytes}."""
    data, entries, places = bytearray(), [], {}
    for number, content in sorted((tile_id(*place), content) for place, content in tiles.items()):
        last = entries[-1] if entries else None
        if content in places:
            offset = places[content]
            if last and last[1] == offset and last[0] + last[3] == number:
                entries[-1] = (last[0], last[1], last[2], last[3] + 1)
                continue
        else:
            offset = places[content] = len(data)
            data += content
        entries.append((number, offset, len(content), 1))
    root, leaves = directory(entries), b""
    size = len(entries)
    while len(root) > 16384 - 127:
        size = (size + 1) // 2
        leaves, pointers = b"", []
        for start in range(0, len(entries), size):
            leaf = directory(entries[start : start + size])
            pointers.append((entries[start][0], len(leaves), len(leaf), 0))
            leaves += leaf
        root = directory(pointers)
    text = compressed(json.dumps(metadata, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode())
    zooms = [place[0] for place in tiles]
    offsets, at = [], 127
    for part in (root, text, leaves, data):
        offsets += (at, len(part))
        at += len(part)
    west, south, east, north = (int(round(degrees * 1e7)) for degrees in bounds)
    head = b"PMTiles\x03" + struct.pack("<8Q", *offsets)
    head += struct.pack("<3Q", sum(entry[3] for entry in entries), len(entries), len(places))
    head += bytes([1, 2, 2, 1, min(zooms), max(zooms)])
    head += struct.pack("<4iB2i", west, south, east, north, min(zooms), (west + east) // 2, (south + north) // 2)
    return head + root + text + leaves + bytes(data)


def contents(path):
    """Reads an archive that `archive` has written, for checks: {tile id: tile}."""
    with open(path, "rb") as file:
        content = file.read()
    offsets = struct.unpack("<8Q", content[8:72])
    found = {}

    def numbers(packed_bytes):
        number, shift = 0, 0
        for byte in gzip.decompress(packed_bytes):
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                yield number
                number, shift = 0, 0

    def walk(packed_bytes):
        source = numbers(packed_bytes)
        count = next(source)
        ids, last = [], 0
        for _ in range(count):
            last += next(source)
            ids.append(last)
        runs = [next(source) for _ in range(count)]
        lengths = [next(source) for _ in range(count)]
        end = 0
        for index in range(count):
            raw = next(source)
            offset = end if raw == 0 else raw - 1
            end = offset + lengths[index]
            if runs[index] == 0:
                start = offsets[4] + offset
                walk(content[start : start + lengths[index]])
            for step in range(runs[index]):
                start = offsets[6] + offset
                found[ids[index] + step] = gzip.decompress(content[start : start + lengths[index]])

    walk(content[offsets[0] : offsets[0] + offsets[1]])
    return found


def fields(content):
    """The fields of a message: (number, value); the value is a number or bytes."""
    at = 0

    def number():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = content[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(content):
        tag = number()
        if tag & 7 == 0:
            yield tag >> 3, number()
        else:
            size = number() if tag & 7 == 2 else {1: 8, 5: 4}[tag & 7]
            at += size
            yield tag >> 3, content[at - size : at]


def texts(tile):
    """The texts among the attributes of a tile."""
    for field, layer in fields(tile):
        for part, value in fields(layer) if field == 3 else ():
            for kind, text in fields(value) if part == 4 else ():
                if kind == 1:
                    yield text.decode()
