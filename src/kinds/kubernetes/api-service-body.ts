// Wanted and observed state of an APIService.
import { s } from '../build.ts'

export const serviceReference = s.object({
  namespace: s.string(),
  name: s.string(),
  port: s.keep(s.integer(undefined, { default: 443 })),
})

export const apiServiceSpec = s.object(
  {
    service: s.doc(serviceReference, 'Service that answers; absent when this server does.'),
    group: s.string('Group that is served.'),
    version: s.string('Version that is served.'),
    insecureSkipTLSVerify: s.boolean('Do not check the certificate.'),
    caBundle: s.bytes('Certificates to check with.'),
    groupPriorityMinimum: s.write(s.integer('Order among groups.')),
    versionPriority: s.write(s.integer('Order among versions of a group.')),
  },
  'Wanted state of an APIService.',
)

export const apiServiceCondition = s.object({
  type: s.write(s.string()),
  status: s.write(s.string()),
  lastTransitionTime: s.write(s.time()),
  reason: s.string(),
  message: s.string(),
})

export const apiServiceStatus = s.object(
  {
    conditions: s.keyedList(apiServiceCondition, ['type'], 'Whether the service is available.', {
      patchMergeKey: 'type',
      patchStrategy: 'merge',
    }),
  },
  'Observed state of an APIService.',
)
