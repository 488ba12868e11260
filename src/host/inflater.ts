// Unpacking of a zlib stream piece by piece, as a port: it needs the platform's zlib.

/** One stream; pieces must come in order. Throws for data that is no zlib stream. */
export interface Inflater {
  unpack(piece: Uint8Array): Promise<Uint8Array>
  close(): void
}

export type OpenInflater = (dictionary: Uint8Array) => Inflater
