// Spec and status of a DataSource: a name for the newest golden image.

import { s } from '../build.ts'
import { dataVolumeSourcePVC, dataVolumeSourceSnapshot } from './data-volume-body.ts'

export const dataSourceRefSourceDataSource = s.object(
  {
    name: s.string('Its name.'),
    namespace: s.string('Its namespace; the same one.'),
  },
  'Another DataSource.',
  { required: ['namespace', 'name'] },
)

export const dataSourceSource = s.object(
  {
    dataSource: s.doc(dataSourceRefSourceDataSource, 'Another name.'),
    pvc: s.doc(dataVolumeSourcePVC, 'A claim.'),
    snapshot: s.doc(dataVolumeSourceSnapshot, 'A snapshot.'),
  },
  'What the name stands for; exactly one.',
)

export const dataSourceSpec = s.object(
  {
    source: s.doc(dataSourceSource, 'What it stands for.'),
  },
  'What the name stands for.',
  { required: ['source'] },
)

export const dataSourceCondition = s.object(
  {
    lastHeartbeatTime: s.time('When it was last looked at.'),
    lastTransitionTime: s.time('When the status last changed.'),
    message: s.string('One sentence for people.'),
    reason: s.string('One word for programs.'),
    status: s.string('True, False or Unknown.'),
    type: s.string('Ready.'),
  },
  'One thing that holds for the source, or does not.',
  { required: ['type', 'status'] },
)

export const dataSourceStatus = s.object(
  {
    conditions: s.list(dataSourceCondition, 'What holds now.'),
    source: s.doc(dataSourceSource, 'What it stands for in the end.'),
  },
  'Whether it can be used.',
)
