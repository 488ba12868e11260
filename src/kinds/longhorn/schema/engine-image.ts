// Spec and status of an EngineImage.
import { s } from '../../build.ts'
import { condition } from './condition.ts'

export const engineImageSpec = s.object(
  {
    image: s.string('Name of the version.', { minLength: 1 }),
  },
  'Which version it is.',
  { required: ['image'] },
)

export const engineImageStatus = s.object(
  {
    buildDate: s.string('When it was built.'),
    cliAPIMinVersion: s.integer('Oldest command interface that it understands.'),
    cliAPIVersion: s.integer('Command interface that it has.'),
    conditions: s.list(condition, 'What holds now.', { nullable: true }),
    controllerAPIMinVersion: s.integer('Oldest engine interface that it understands.'),
    controllerAPIVersion: s.integer('Engine interface that it has.'),
    dataFormatMinVersion: s.integer('Oldest form of data that it reads.'),
    dataFormatVersion: s.integer('Form of data that it writes.'),
    gitCommit: s.string('Source that it was built from.'),
    incompatible: s.boolean('True when it cannot be used.'),
    noRefSince: s.string('Since when no volume uses it.'),
    nodeDeploymentMap: s.map(s.boolean(), 'Whether it is on each node.', { nullable: true }),
    ownerID: s.string('Node that looks after it.'),
    refCount: s.integer('How many volumes use it.'),
    state: s.string('deploying, deployed or error.'),
    version: s.string('Its version.'),
  },
  'Whether it can be used.',
)
