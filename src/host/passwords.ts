// Hashing of passwords, as a port: it needs the platform's slow hash.

export interface Passwords {
  /** A salted slow hash with its parameters, for instance `scrypt$16384$8$1$<salt>$<hash>`. */
  hash(password: string): Promise<string>
  /** False also for a text that is no hash of ours. Takes the same time for right and wrong passwords. */
  verify(password: string, hash: string): Promise<boolean>
}
