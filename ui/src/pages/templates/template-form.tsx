// Makes a template, or a new version of one: from an image and a size, or from a machine as it is set up.
import { useMemo } from 'react'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { call } from '../../data/api.ts'
import { IMAGES, MACHINES, type Machine, pathOf } from '../../data/kinds.ts'
import { isImageReady } from '../../data/machine-state.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Area, Field } from '../../parts/field.tsx'
import { Tiles } from '../../parts/tiles.tsx'
import { ChoiceField } from '../kit/choice-field.tsx'
import { FormBody, FormDialog } from '../kit/form-dialog.tsx'
import { NameFields, useHomeProject } from '../kit/name-fields.tsx'
import { TEMPLATES, type Template, VERSIONS } from '../kit/places.ts'
import { type Form, useForm } from '../kit/use-form.ts'
import { machineFor } from '../machines/new-machine.ts'
import { leftOut, templateFor, versionFor } from './new-template.ts'

export interface TemplateFormProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** The one that gets a new version; absent for a new template. */
  readonly old?: Template | undefined
}

export function TemplateForm({ isOpen, onClose, old }: TemplateFormProps) {
  const { t } = useWords()
  const title = old ? t('templates.newVersionOf', { name: old.metadata.name ?? '' }) : t('templates.create')
  return (
    <FormDialog title={title} isOpen={isOpen} onClose={onClose}>
      <Body onClose={onClose} old={old} />
    </FormDialog>
  )
}

interface Values {
  readonly name: string
  readonly namespace: string
  readonly description: string
  readonly from: 'image' | 'machine'
  readonly image: string
  readonly machine: string
  readonly cpus: string
  readonly memory: string
  readonly disk: string
  readonly userData: string
}

const NUMBERS = ['cpus', 'memory', 'disk'] as const
const isNumber = (text: string) => text.trim() !== '' && Number(text) > 0

function Body({ onClose, old }: Omit<TemplateFormProps, 'isOpen'>) {
  const { t } = useWords()
  const home = useHomeProject()
  const offer = useOffer()
  const form = useForm<Values>({
    initial: {
      name: old?.metadata.name ?? '',
      namespace: old?.metadata.namespace ?? home,
      description: '',
      from: 'image',
      image: '',
      machine: '',
      cpus: '1',
      memory: '1',
      disk: '10',
      userData: '',
    },
    paths: {
      name: /^metadata\.name/,
      cpus: /\.cpu\b/,
      memory: /\.memory\b/,
      userData: /cloudInit/,
      disk: /volumeClaimTemplates/,
    },
    check: (values) => ({
      name: values.name === '' ? t('create.required') : undefined,
      ...(values.from === 'image'
        ? {
            image: values.image === '' ? t('create.required') : undefined,
            ...Object.fromEntries(
              NUMBERS.map((field) => [field, isNumber(values[field]) ? undefined : t('kit.number')]),
            ),
          }
        : { machine: values.machine === '' ? t('create.required') : undefined }),
    }),
    send: async (values) => {
      const machine = offer.machineFor(values)
      if (!machine) return
      const { namespace, name, description } = values
      const version = versionFor({ namespace, template: name, description, machine })
      if (old) {
        await call(pathOf(VERSIONS, namespace), { method: 'POST', body: version })
        tell('ok', t('kit.saved', { name }))
      } else {
        await makeWhole(values, version)
        tell('ok', t('kit.made', { name }))
      }
      onClose()
    },
  })
  const { values, set, at } = form
  return (
    <FormBody form={form} doIt={old ? t('templates.newVersion') : t('machines.create')} onClose={onClose}>
      {!old && (
        <NameFields
          name={values.name}
          namespace={values.namespace}
          refusal={at('name')}
          onName={(name) => set({ name })}
          onNamespace={(namespace) => set({ namespace })}
        />
      )}
      <Field
        label={old ? t('templates.news') : t('kit.description')}
        value={values.description}
        onValue={(description) => set({ description })}
      />
      <Tiles
        label={t('templates.from')}
        chosen={values.from}
        onChoose={(from) => set({ from: from as Values['from'] })}
        tiles={(['image', 'machine'] as const).map((id) => ({
          id,
          title: t(`templates.from.${id}`),
          what: t(`templates.from.${id}.what`),
        }))}
      />
      {values.from === 'image' ? (
        <FromImage form={form} images={offer.images} />
      ) : (
        <FromMachine form={form} machines={offer.machines} />
      )}
    </FormBody>
  )
}

/** A template without a version is of no use: what is refused is taken back. */
async function makeWhole({ namespace, name, description }: Values, version: object): Promise<void> {
  await call(pathOf(TEMPLATES, namespace), {
    method: 'POST',
    body: templateFor({ namespace, name, description }),
  })
  try {
    await call(pathOf(VERSIONS, namespace), { method: 'POST', body: version })
  } catch (error) {
    await call(pathOf(TEMPLATES, namespace, name), { method: 'DELETE' }).catch(() => undefined)
    throw error
  }
}

interface Choice {
  readonly id: string
  readonly text: string
}

function useOffer() {
  const images = useObjects(IMAGES)
  const machines = useObjects(MACHINES)
  return useMemo(() => {
    const ready = images.list.filter(isImageReady)
    return {
      images: ready.map(
        ({ metadata, spec }): Choice => ({
          id: metadata.uid ?? '',
          text: spec.displayName || (metadata.name ?? ''),
        }),
      ),
      machines: machines.list,
      machineFor: (values: Values): Machine | undefined => {
        if (values.from === 'machine')
          return machines.list.find(({ metadata }) => metadata.uid === values.machine)
        const image = ready.find(({ metadata }) => metadata.uid === values.image)
        return (
          image &&
          machineFor({
            namespace: values.namespace,
            name: values.name,
            image,
            cpus: Number(values.cpus),
            memoryGib: Number(values.memory),
            diskGib: Number(values.disk),
            sshKey: '',
            userData: values.userData,
            start: true,
          })
        )
      },
    }
  }, [images.list, machines.list])
}

function FromImage({ form, images }: { readonly form: Form<Values>; readonly images: readonly Choice[] }) {
  const { t } = useWords()
  const { values, set, at } = form
  const number = (field: (typeof NUMBERS)[number], label: string) => (
    <Field
      label={label}
      type="number"
      min="0"
      step="any"
      inputMode="decimal"
      value={values[field]}
      onValue={(value) => set({ [field]: value })}
      refusal={at(field)}
    />
  )
  return (
    <>
      <ChoiceField
        label={t('volumes.image')}
        value={values.image}
        refusal={at('image')}
        hint={images.length === 0 ? t('create.noImages') : undefined}
        options={[{ id: '', text: '–' }, ...images]}
        onValue={(image) => set({ image })}
      />
      <div className="pair">
        {number('cpus', t('create.cpus'))}
        {number('memory', t('create.memory'))}
        {number('disk', t('create.disk'))}
      </div>
      <Area
        label={t('create.userData')}
        value={values.userData}
        onValue={(userData) => set({ userData })}
        refusal={at('userData')}
      />
    </>
  )
}

function FromMachine(props: { readonly form: Form<Values>; readonly machines: readonly Machine[] }) {
  const { t } = useWords()
  const { values, set, at } = props.form
  const chosen = props.machines.find(({ metadata }) => metadata.uid === values.machine)
  const lost = chosen ? leftOut(chosen) : []
  return (
    <>
      <ChoiceField
        label={t('templates.machine')}
        value={values.machine}
        refusal={at('machine')}
        options={[
          { id: '', text: '–' },
          ...props.machines.map(({ metadata }) => ({
            id: metadata.uid ?? '',
            text: `${metadata.name} · ${metadata.namespace}`,
          })),
        ]}
        onValue={(machine) => set({ machine })}
      />
      {lost.length > 0 && <p className="note">{t('templates.leftOut', { disks: lost.join(', ') })}</p>}
    </>
  )
}
