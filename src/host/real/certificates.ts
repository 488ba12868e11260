// Certificates read by Node's own parser.
import { X509Certificate } from 'node:crypto'
import type { CertificateFacts, Certificates } from '../certificates.ts'

function parse(certificate: string | Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(certificate)
  } catch {
    return undefined
  }
}

/** `subject` has one `KEY=value` a line; a comma in a value is escaped with a backslash. */
function subjectValues(subject: string, key: string): readonly string[] {
  return subject
    .split('\n')
    .filter((line) => line.startsWith(`${key}=`))
    .map((line) => line.slice(key.length + 1).replace(/\\(.)/g, '$1'))
}

function alternatives(text: string | undefined, prefix: string): readonly string[] {
  return (text ?? '')
    .split(', ')
    .filter((part) => part.startsWith(prefix))
    .map((part) => part.slice(prefix.length))
}

function factsOf(certificate: X509Certificate): CertificateFacts {
  return {
    commonName: subjectValues(certificate.subject, 'CN')[0] ?? '',
    organizations: subjectValues(certificate.subject, 'O'),
    notBefore: Date.parse(certificate.validFrom),
    notAfter: Date.parse(certificate.validTo),
    dnsNames: alternatives(certificate.subjectAltName, 'DNS:'),
    ipAddresses: alternatives(certificate.subjectAltName, 'IP Address:'),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
  }
}

const PEM_BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

export const realCertificates: Certificates = {
  read(certificate) {
    const parsed = parse(certificate)
    return parsed && factsOf(parsed)
  },
  isTrusted(certificate, caPem, now) {
    const parsed = parse(certificate)
    if (!parsed) return false
    if (now < Date.parse(parsed.validFrom) || now > Date.parse(parsed.validTo)) return false
    return (caPem.match(PEM_BLOCK) ?? []).some((block) => {
      const authority = parse(block)
      return authority !== undefined && parsed.checkIssued(authority) && parsed.verify(authority.publicKey)
    })
  },
}
