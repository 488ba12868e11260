// scrypt of the platform, off the main thread. 16 MiB and about 50 ms for each try: little for a person, much for a guesser.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { Passwords } from '../passwords.ts'

const COST = 16_384
const BLOCK_SIZE = 8
const PARALLEL = 1
const HASH_BYTES = 32
const SALT_BYTES = 16

interface Parameters {
  readonly cost: number
  readonly blockSize: number
  readonly parallel: number
}

function derive(password: string, salt: Uint8Array, parameters: Parameters): Promise<Buffer> {
  const { cost, blockSize, parallel } = parameters
  const maxmem = 256 * cost * blockSize // Twice what the algorithm needs.
  return new Promise((resolve, reject) => {
    // The same password may be typed composed or decomposed.
    scrypt(
      password.normalize('NFKC'),
      salt,
      HASH_BYTES,
      { cost, blockSize, parallelization: parallel, maxmem },
      (error, key) => (error ? reject(error) : resolve(key)),
    )
  })
}

export const realPasswords: Passwords = {
  async hash(password) {
    const salt = randomBytes(SALT_BYTES)
    const key = await derive(password, salt, { cost: COST, blockSize: BLOCK_SIZE, parallel: PARALLEL })
    return ['scrypt', COST, BLOCK_SIZE, PARALLEL, salt.toString('base64'), key.toString('base64')].join('$')
  },
  async verify(password, hash) {
    const [method, cost, blockSize, parallel, salt = '', key = ''] = hash.split('$')
    const wanted = Buffer.from(key, 'base64')
    if (method !== 'scrypt' || wanted.length !== HASH_BYTES || Number(cost) > COST * 16) return false
    const parameters = { cost: Number(cost), blockSize: Number(blockSize), parallel: Number(parallel) }
    const found = await derive(password, Buffer.from(salt, 'base64'), parameters)
    return timingSafeEqual(found, wanted)
  },
}
