// Spec and status of the CDI object.

import { s } from '../build.ts'
import { affinity } from '../kubevirt/pod/affinity.ts'
import { toleration } from '../kubevirt/pod/scheduling.ts'
import { cdiConfigSpec } from './cdi-config-body.ts'

export const cdiCert = s.object(
  {
    duration: s.string('Life of the certificate.'),
    renewBefore: s.string('Time before its end when it is renewed.'),
  },
  'How long a certificate lives.',
)

export const cdiCertConfig = s.object(
  {
    ca: s.doc(cdiCert, 'The authority.'),
    client: s.doc(cdiCert, 'Certificates of clients.'),
    server: s.doc(cdiCert, 'Certificates of servers.'),
  },
  'Certificates that are made here.',
)

export const cdiFlags = s.object(
  {
    api: s.map(s.string(), 'Flags of the API.'),
    controller: s.map(s.string(), 'Flags of the controllers.'),
    uploadProxy: s.map(s.string(), 'Flags of the upload server.'),
  },
  'Flags of the parts.',
)

export const cdiCustomizePatch = s.object(
  {
    patch: s.string('The change.'),
    resourceName: s.string('Name of the object.'),
    resourceType: s.string('Kind of the object.'),
    type: s.string('json, merge or strategic.'),
  },
  'A change of an installed object.',
  { required: ['resourceName', 'resourceType', 'patch', 'type'] },
)

export const cdiCustomize = s.object(
  {
    flags: s.doc(cdiFlags, 'Flags of the parts.'),
    patches: s.list(cdiCustomizePatch, 'The changes.'),
  },
  'Changes of installed objects.',
)

export const cdiNodePlacement = s.object(
  {
    affinity: s.doc(affinity, 'Nodes and neighbours.'),
    nodeSelector: s.map(s.string(), 'Labels that nodes must have.'),
    tolerations: s.list(toleration, 'Taints that are borne.'),
  },
  'Where parts run.',
)

export const cdiComponentConfig = s.object(
  {
    affinity: s.doc(affinity, 'Nodes and neighbours.'),
    apiServerReplicas: s.integer('How many API servers there are.'),
    deploymentReplicas: s.integer('How many controllers there are.'),
    nodeSelector: s.map(s.string(), 'Labels that nodes must have.'),
    tolerations: s.list(toleration, 'Taints that are borne.'),
    uploadProxyReplicas: s.integer('How many upload servers there are.'),
  },
  'Where parts run, and how many.',
)

export const cdiSpec = s.object(
  {
    certConfig: s.doc(cdiCertConfig, 'Certificates that are made here.'),
    cloneStrategyOverride: s.string('How volumes are copied: copy, snapshot or csi-clone.'),
    config: s.doc(cdiConfigSpec, 'Settings of import.'),
    customizeComponents: s.doc(cdiCustomize, 'Changes of installed objects; without effect in Croft.'),
    imagePullPolicy: s.oneOf(
      ['Always', 'IfNotPresent', 'Never'],
      'When images are fetched again; without effect in Croft.',
    ),
    infra: s.doc(cdiComponentConfig, 'Where the control plane runs; without effect in Croft.'),
    priorityClass: s.string('Class that says who goes first; without effect in Croft.'),
    uninstallStrategy: s.string('RemoveWorkloads or BlockUninstallIfWorkloadsExist.'),
    workload: s.doc(cdiNodePlacement, 'Where transfers run; without effect in Croft.'),
  },
  'How import of disks is set up.',
)

export const condition = s.object(
  {
    lastHeartbeatTime: s.time('When it was last looked at.'),
    lastTransitionTime: s.time('When the status last changed.'),
    message: s.string('One sentence for people.'),
    reason: s.string('One word for programs.'),
    status: s.string('True, False or Unknown.'),
    type: s.string('What it is about, for instance Available.'),
  },
  'One thing that holds, or does not.',
  { required: ['type', 'status'] },
)

export const cdiStatus = s.object(
  {
    conditions: s.list(condition, 'What holds now.'),
    observedVersion: s.string('Version that runs.'),
    operatorVersion: s.string('Version that clients compare theirs with.'),
    phase: s.string('Deployed once disks can be imported.'),
    targetVersion: s.string('Version that is to run.'),
  },
  'Whether disks can be imported, and in which version.',
)
