// Giving a machine one more disk: a new volume, or one that is there and free.
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { ApiFailure } from '../../data/api.ts'
import { save } from '../../data/changes.ts'
import { MACHINES, type Machine } from '../../data/kinds.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Field } from '../../parts/field.tsx'
import { Segments } from '../../parts/tiles.tsx'
import { ChoiceField } from '../kit/choice-field.tsx'
import { FormBody, FormDialog } from '../kit/form-dialog.tsx'
import { NameField } from '../kit/name-fields.tsx'
import { CLAIMS, CLASSES } from '../kit/places.ts'
import { useForm } from '../kit/use-form.ts'
import { machinesWith } from '../volumes/volume-facts.ts'
import { disksOf, type NewDisk, withDisk } from './machine-disks.ts'

interface AddDiskProps {
  readonly machine: Machine
  readonly needsRestart: boolean
  readonly onClose: () => void
}

export function AddDisk(props: AddDiskProps) {
  const { t } = useWords()
  return (
    <FormDialog title={t('disks.add')} isOpen onClose={props.onClose}>
      <AddForm {...props} />
    </FormDialog>
  )
}

interface Values {
  readonly from: 'new' | 'present'
  readonly name: string
  readonly size: string
  readonly claim: string
  readonly bus: NewDisk['bus']
}

function AddForm({ machine, needsRestart, onClose }: AddDiskProps) {
  const { t } = useWords()
  const { namespace } = machine.metadata
  const machines = useObjects(MACHINES, { namespace })
  const claims = useObjects(CLAIMS, { namespace })
  const classes = useObjects(CLASSES)
  const free = claims.list.filter((claim) => machinesWith(claim, machines.list).length === 0)
  const isDefault = 'storageclass.kubernetes.io/is-default-class'
  const standard = classes.list.find(({ metadata }) => metadata.annotations?.[isDefault] === 'true')
  const form = useForm<Values>({
    initial: { from: 'new', name: freeName(machine), size: '10', claim: '', bus: 'virtio' },
    paths: { name: /disks|volumes/, size: /storage|volumeClaimTemplates/ },
    check: ({ from, name, size, claim }) => ({
      name: name === '' ? t('create.required') : undefined,
      size: from === 'new' && !(Number(size) > 0) ? t('kit.number') : undefined,
      claim: from === 'present' && claim === '' ? t('disks.chooseVolume') : undefined,
    }),
    send: async ({ from, name, size, claim, bus }) => {
      const disk: NewDisk = {
        name,
        bus,
        from: from === 'present' ? { claim } : { sizeGib: Number(size), className: standard?.metadata.name },
      }
      const { is } = await save(MACHINES, machine, withDisk(machine, disk))
      if (is === 'conflict') throw new ApiFailure(409, 'Conflict', t('edit.conflict'))
      tell('ok', t('disks.added', { name }))
      onClose()
    },
  })
  const { values, set, at } = form
  return (
    <FormBody form={form} doIt={t('disks.add')} onClose={onClose}>
      <div>
        <Segments
          label={t('create.from')}
          chosen={values.from}
          onChoose={(from) => set({ from: from as Values['from'] })}
          tiles={[
            { id: 'new', title: t('disks.new'), what: '' },
            { id: 'present', title: t('disks.present'), what: '' },
          ]}
        />
      </div>
      <NameField value={values.name} refusal={at('name')} onValue={(name) => set({ name })} />
      {values.from === 'new' ? (
        <Field
          label={t('create.disk')}
          inputMode="decimal"
          value={values.size}
          onValue={(size) => set({ size })}
          refusal={at('size')}
        />
      ) : (
        <ChoiceField
          label={t('page.volumes')}
          value={values.claim}
          refusal={at('claim')}
          options={[
            { id: '', text: '–' },
            ...free.map(({ metadata }) => ({ id: metadata.name ?? '', text: metadata.name ?? '' })),
          ]}
          onValue={(claim) => set({ claim })}
        />
      )}
      <ChoiceField
        label={t('disks.bus')}
        value={values.bus}
        options={(['virtio', 'sata', 'scsi'] as const).map((id) => ({ id, text: id }))}
        onValue={(bus) => set({ bus: bus as NewDisk['bus'] })}
      />
      {needsRestart && <p className="muted">{t('edit.needsRestart')}</p>}
    </FormBody>
  )
}

function freeName(machine: Machine): string {
  const taken = new Set(disksOf(machine).map(({ name }) => name))
  let number = 1
  while (taken.has(`disk-${number}`)) number++
  return `disk-${number}`
}
