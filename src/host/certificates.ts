// What the rooms need to know of an X.509 certificate, as a port: reading one needs the platform's parser.

export interface CertificateFacts {
  readonly commonName: string
  readonly organizations: readonly string[]
  /** Milliseconds since 1970. */
  readonly notBefore: number
  readonly notAfter: number
  readonly dnsNames: readonly string[]
  readonly ipAddresses: readonly string[]
  /** Lower-case hexadecimal SHA-256 of the DER form: the certificate's identity. */
  readonly fingerprint: string
}

export interface Certificates {
  /** Reads PEM text or DER bytes; undefined where it is no certificate. */
  read(certificate: string | Uint8Array): CertificateFacts | undefined
  /** Whether one of the CAs in `caPem` signed it and it is valid at `now`; usages are not looked at. */
  isTrusted(certificate: string | Uint8Array, caPem: string, now: number): boolean
}
