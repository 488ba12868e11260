// Spec and status of an EngineImage.
import { s } from '../../build.ts'
import { condition } from './condition.ts'

export const engineImageSpec = s.object(
  {
    image: s.string(undefined, { minLength: 1 }),
  },
  undefined,
  { required: ['image'] },
)

export const engineImageStatus = s.object({
  buildDate: s.string(),
  cliAPIMinVersion: s.integer(),
  cliAPIVersion: s.integer(),
  conditions: s.list(condition, 'What holds for this object now.', { nullable: true }),
  controllerAPIMinVersion: s.integer(),
  controllerAPIVersion: s.integer(),
  dataFormatMinVersion: s.integer(),
  dataFormatVersion: s.integer(),
  gitCommit: s.string(),
  incompatible: s.boolean(),
  noRefSince: s.string(),
  nodeDeploymentMap: s.map(s.boolean(), undefined, { nullable: true }),
  ownerID: s.string(),
  refCount: s.integer(),
  state: s.string(),
  version: s.string(),
})
