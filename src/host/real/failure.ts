// Turns what the kernel, DNS and OpenSSL say into a Failure: one table of reasons for files, programs and sockets.
import type { Failure } from '../../base/result.ts'
import { StreamFailure } from '../host.ts'

type Known = readonly [reason: string, text: string, retry: Failure['retry']]

const KNOWN: Readonly<Record<string, Known>> = {
  ENOENT: ['NotFound', 'it does not exist', 'never'],
  ENOSPC: ['NoSpace', 'the disk is full; free some space', 'later'],
  EDQUOT: ['NoSpace', 'the disk quota is used up; free some space or raise the quota', 'later'],
  EFBIG: ['NoSpace', 'the file system does not take a file this large', 'never'],
  EACCES: ['PermissionDenied', 'permission denied; run as root or change the owner of the path', 'never'],
  EPERM: [
    'PermissionDenied',
    'operation not permitted; run as root or change the owner of the path',
    'never',
  ],
  EROFS: ['ReadOnly', 'the file system is mounted read-only', 'never'],
  EEXIST: ['AlreadyExists', 'it exists already', 'never'],
  ENOTDIR: ['NotAFolder', 'a part of the path is not a folder', 'never'],
  EISDIR: ['IsAFolder', 'it is a folder', 'never'],
  ELOOP: ['TooManyLinks', 'the path goes through too many symbolic links', 'never'],
  ENAMETOOLONG: ['NameTooLong', 'the name is too long', 'never'],
  EXDEV: ['CrossDevice', 'source and target are on different file systems', 'never'],
  EIO: ['DiskError', 'the disk reports an input/output error; check it', 'never'],
  EMFILE: ['TooManyOpenFiles', 'this process has too many files open; raise its limit', 'later'],
  ENFILE: ['TooManyOpenFiles', 'the machine has too many files open', 'later'],
  EAGAIN: ['Busy', 'no resources at the moment', 'later'],
  ENOMEM: ['OutOfMemory', 'the machine is out of memory', 'later'],
  ECONNREFUSED: ['ConnectionRefused', 'connection refused; nothing listens there', 'later'],
  ECONNRESET: ['ConnectionReset', 'the other side cut the connection', 'later'],
  EPIPE: ['ConnectionReset', 'the other side closed the connection', 'later'],
  ENOTFOUND: ['NameNotFound', 'the name is not known to DNS', 'later'],
  EAI_AGAIN: ['NameNotFound', 'DNS does not answer; check the resolver of this machine', 'later'],
  ETIMEDOUT: ['TimedOut', 'no answer in time', 'later'],
  EHOSTUNREACH: ['Unreachable', 'no route to the host', 'later'],
  ENETUNREACH: ['Unreachable', 'the network is unreachable', 'later'],
  EADDRINUSE: [
    'AddressInUse',
    'the address is in use; stop the other program or choose another port',
    'later',
  ],
  EADDRNOTAVAIL: ['AddressNotAvailable', 'this machine does not have that address', 'later'],
  EADDRESSREFUSED: ['AddressRefused', 'connecting to that address is not allowed', 'never'],
  ABORT_ERR: ['Aborted', 'it was cancelled', 'later'],
  ERR_INVALID_URL: ['InvalidAddress', 'the address is not a valid URL', 'never'],
  ERR_INVALID_PROTOCOL: ['InvalidAddress', 'only http and https addresses are possible', 'never'],
}

/** `doing` is the start of the sentence, for instance `reading /etc/hosts`. */
export function failureOf(error: unknown, doing: string): Failure {
  if (error instanceof StreamFailure) return error.failure
  const { code, text } = describe(error)
  const known = KNOWN[code]
  if (known !== undefined) return { reason: known[0], message: `${doing}: ${known[1]}`, retry: known[2] }
  if (isTls(code, text)) return { reason: 'TlsFailed', message: `${doing}: ${text}`, retry: 'later' }
  if (/^HPE_|^ERR_HTTP/.test(code))
    return {
      reason: 'InvalidAnswer',
      message: `${doing}: the answer is not valid HTTP (${text})`,
      retry: 'later',
    }
  return { reason: 'Failed', message: `${doing}: ${text}`, retry: 'later' }
}

function describe(error: unknown): { code: string; text: string } {
  // When a name has several addresses, the attempts come back gathered; the first one speaks for all.
  const one = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error
  if (!(one instanceof Error)) return { code: '', text: String(one) }
  const code = 'code' in one && typeof one.code === 'string' ? one.code : ''
  return { code: code === '' && one.name === 'AbortError' ? 'ABORT_ERR' : code, text: one.message }
}

function isTls(code: string, text: string): boolean {
  return (
    /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH|ERR_OSSL)/.test(
      code,
    ) || /before secure TLS connection/.test(text)
  )
}

/** Makes an error with a code that `failureOf` knows. */
export function codedError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
