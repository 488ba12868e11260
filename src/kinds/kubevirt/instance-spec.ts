// What one run of a machine is to be: the spec of a VirtualMachineInstance and the template of a VirtualMachine.

import { s } from '../build.ts'
import { accessCredential } from './access-credentials.ts'
import { domainSpec } from './domain/domain.ts'
import { network } from './networks.ts'
import { affinity } from './pod/affinity.ts'
import { podDNSConfig, podResourceClaim, toleration, topologySpreadConstraint } from './pod/scheduling.ts'
import { templateMetadata } from './pod/template-metadata.ts'
import { probe } from './probes.ts'
import { volume } from './volumes.ts'

export const virtualMachineInstanceSpec = s.object(
  {
    accessCredentials: s.list(accessCredential, 'Keys and passwords put into the guest.'),
    affinity: s.doc(affinity, 'Where to run.'),
    architecture: s.string('amd64, arm64 or s390x; never changed.'),
    dnsConfig: s.doc(podDNSConfig, 'How names are resolved.'),
    dnsPolicy: s.string('ClusterFirst, ClusterFirstWithHostNet, Default or None.'),
    domain: s.doc(domainSpec, 'The virtual hardware.'),
    evictionStrategy: s.string(
      'What happens when the node is emptied: None, LiveMigrate, LiveMigrateIfPossible or External.',
    ),
    hostname: s.string('Name of the guest; that of the machine up to its first dot when empty.'),
    livenessProbe: s.doc(probe, 'Ends the run when it fails.'),
    networks: s.list(network, 'Networks, each used by one interface.'),
    nodeSelector: s.map(s.string(), 'Labels that the node must have.'),
    priorityClassName: s.string('Class that says who goes first when there is not room for all.'),
    readinessProbe: s.doc(probe, 'Says whether the guest is ready.'),
    resourceClaims: s.keyedList(podResourceClaim, ['name'], 'Claims to devices.'),
    schedulerName: s.string('Who finds the node.'),
    startStrategy: s.string('Paused starts without running.'),
    subdomain: s.string("Domain of the guest's name within the namespace."),
    terminationGracePeriodSeconds: s.integer('Seconds the guest gets to shut down; then it is ended.', {
      format: 'int64',
    }),
    tolerations: s.list(toleration, 'Taints of nodes that are borne.'),
    topologySpreadConstraints: s.keyedList(
      topologySpreadConstraint,
      ['topologyKey', 'whenUnsatisfiable'],
      'How machines are spread over places.',
    ),
    volumes: s.list(volume, 'Volumes, each shown by a disk or share.'),
    serviceAccountName: s.string('Service account of the launcher.'),
    utilityVolumes: s.list(s.anything(), 'Volumes for tools beside the guest.'),
  },
  'What one run of a machine is to be.',
  { required: ['domain'] },
)

export const virtualMachineInstanceTemplateSpec = s.object(
  {
    metadata: s.doc(templateMetadata, 'Labels and annotations that every run gets.'),
    spec: s.doc(virtualMachineInstanceSpec, 'The run.'),
  },
  'What every run of the machine is made from.',
)
