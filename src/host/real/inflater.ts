// zlib of the platform, flushed after every piece so that nothing waits for what comes later.
import { constants, createInflate } from 'node:zlib'
import type { OpenInflater } from '../inflater.ts'

export const realInflater: OpenInflater = (dictionary) => {
  const inflate = createInflate({
    dictionary: Buffer.from(dictionary),
    flush: constants.Z_SYNC_FLUSH,
    finishFlush: constants.Z_SYNC_FLUSH,
  })
  let out: Buffer[] = []
  let fail: (error: Error) => void = () => undefined
  inflate.on('data', (bytes: Buffer) => out.push(bytes))
  inflate.on('error', (error) => fail(error))
  return {
    unpack: (piece) =>
      new Promise((resolve, reject) => {
        fail = reject
        out = []
        inflate.write(piece)
        inflate.flush(constants.Z_SYNC_FLUSH, () => resolve(Buffer.concat(out)))
      }),
    close: () => inflate.destroy(),
  }
}
