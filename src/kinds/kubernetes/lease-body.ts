// Wanted state of a Lease.
import { s } from '../build.ts'

export const leaseSpec = s.object(
  {
    holderIdentity: s.keep(s.string('Who holds the lease.')),
    leaseDurationSeconds: s.keep(s.integer('Seconds that others wait after the last renewal.')),
    acquireTime: s.microTime('When the holder took it.'),
    renewTime: s.microTime('When the holder last renewed it.'),
    leaseTransitions: s.keep(s.integer('How often the holder changed.')),
    strategy: s.keep(s.string('How the holder is chosen.')),
    preferredHolder: s.keep(s.string('Who should hold it next.')),
  },
  'Wanted state of a Lease.',
)
