// Spec and status of a DataSource: a name for the newest golden image.

import { s } from '../build.ts'
import { dataVolumeSourcePVC, dataVolumeSourceSnapshot } from './data-volume-body.ts'

export const dataSourceRefSourceDataSource = s.object(
  {
    name: s.string(),
    namespace: s.string(),
  },
  undefined,
  { required: ['namespace', 'name'] },
)

export const dataSourceSource = s.object({
  dataSource: dataSourceRefSourceDataSource,
  pvc: dataVolumeSourcePVC,
  snapshot: dataVolumeSourceSnapshot,
})

export const dataSourceSpec = s.object(
  {
    source: dataSourceSource,
  },
  undefined,
  { required: ['source'] },
)

export const dataSourceCondition = s.object(
  {
    lastHeartbeatTime: s.time(),
    lastTransitionTime: s.time(),
    message: s.string(),
    reason: s.string(),
    status: s.string(),
    type: s.string(),
  },
  undefined,
  { required: ['type', 'status'] },
)

export const dataSourceStatus = s.object({
  conditions: s.list(dataSourceCondition),
  source: dataSourceSource,
})
