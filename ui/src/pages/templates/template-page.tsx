// One template: its versions, which of them counts, and a machine from any of them.
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Play, Star, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { call, messageOf } from '../../data/api.ts'
import { MACHINES, type Machine, pathOf } from '../../data/kinds.ts'
import { bytesText, cpusOf, memoryOf, timeText } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Age } from '../../parts/age.tsx'
import { Button } from '../../parts/button.tsx'
import { DeleteButton, DeleteDialog } from '../kit/delete-dialog.tsx'
import { Card, Facts, SmallTable } from '../kit/facts.tsx'
import { useMay } from '../kit/may.ts'
import { ObjectPage } from '../kit/object-page.tsx'
import { TEMPLATES, type Template, type TemplateVersion, VERSIONS } from '../kit/places.ts'
import { Launch } from './launch.tsx'
import { TemplateForm } from './template-form.tsx'

export function TemplatePage() {
  const { t } = useWords()
  const { namespace, name } = useParams({ from: '/templates/$namespace/$name' })
  const templates = useObjects(TEMPLATES, { namespace, name })
  const all = useObjects(VERSIONS, { namespace })
  const versions = all.list
    .filter(({ spec }) => spec.templateId === `${namespace}/${name}`)
    .sort((a, b) => (b.status?.version ?? Infinity) - (a.status?.version ?? Infinity))
  return (
    <ObjectPage
      place={TEMPLATES}
      objects={templates}
      name={name}
      about={namespace}
      back={<Link to="/templates">{t('kit.backToList')}</Link>}
      actions={(template) => <Actions template={template} versions={versions} />}
      overview={(template) => <Overview template={template} versions={versions} />}
    />
  )
}

interface PartProps {
  readonly template: Template
  readonly versions: readonly TemplateVersion[]
}

function defaultOf({ template, versions }: PartProps): TemplateVersion | undefined {
  return versions.find(
    ({ metadata }) => `${metadata.namespace}/${metadata.name}` === template.spec?.defaultVersionId,
  )
}

function Actions({ template, versions }: PartProps) {
  const { t } = useWords()
  const navigate = useNavigate()
  const { namespace } = template.metadata
  const mayLaunch = useMay({ verb: 'create', place: MACHINES, namespace })
  const mayAdd = useMay({ verb: 'create', place: VERSIONS, namespace })
  const [open, setOpen] = useState<'launch' | 'version' | 'delete'>()
  const close = () => setOpen(undefined)
  const version = defaultOf({ template, versions })
  return (
    <>
      {mayLaunch && version && (
        <Button kind="primary" onPress={() => setOpen('launch')}>
          {t('templates.launch')}
        </Button>
      )}
      {mayAdd && <Button onPress={() => setOpen('version')}>{t('templates.newVersion')}</Button>}
      <DeleteButton place={TEMPLATES} object={template} onPress={() => setOpen('delete')} />
      <Launch version={open === 'launch' ? version : undefined} onClose={close} />
      <TemplateForm isOpen={open === 'version'} old={template} onClose={close} />
      <DeleteDialog
        place={TEMPLATES}
        object={open === 'delete' ? template : undefined}
        note={t('templates.delete')}
        onClose={close}
        onDeleted={() => void navigate({ to: '/templates' })}
      />
    </>
  )
}

function Overview({ template, versions }: PartProps) {
  const { t, language } = useWords()
  const version = defaultOf({ template, versions })
  const machine = { spec: version?.spec.vm?.spec ?? { template: {} } } as Machine
  const disks = machine.spec.template?.spec?.domain?.devices?.disks ?? []
  return (
    <div className="stack">
      <Facts
        title={t('templates.facts')}
        facts={[
          [t('kit.description'), template.spec?.description ?? '–'],
          [
            t('templates.default'),
            version
              ? t('templates.version', { number: version.status?.version ?? '–' })
              : t('templates.noDefault'),
          ],
          [
            t('templates.holds'),
            version
              ? t('machine.sizeValue', {
                  cpus: cpusOf(machine),
                  memory: bytesText(language, memoryOf(machine)),
                })
              : '–',
          ],
          [t('machine.disks'), disks.map(({ name }) => name).join(', ')],
          [t('machine.created'), timeText(language, template.metadata.creationTimestamp)],
        ]}
      />
      <Versions template={template} versions={versions} />
    </div>
  )
}

function Versions({ template, versions }: PartProps) {
  const { t } = useWords()
  const { namespace } = template.metadata
  const mayLaunch = useMay({ verb: 'create', place: MACHINES, namespace })
  const mayChoose = useMay({ verb: 'patch', place: TEMPLATES, namespace })
  const mayDelete = useMay({ verb: 'delete', place: VERSIONS, namespace })
  const [launching, setLaunching] = useState<TemplateVersion>()
  const [doomed, setDoomed] = useState<TemplateVersion>()
  const current = defaultOf({ template, versions })
  const choose = (version: TemplateVersion) => {
    const { name = '' } = version.metadata
    call(pathOf(TEMPLATES, namespace, template.metadata.name), {
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: { spec: { defaultVersionId: `${namespace}/${name}` } },
    }).then(
      () => tell('ok', t('templates.madeDefault', { number: version.status?.version ?? '–' })),
      (error: unknown) => tell('bad', messageOf(error)),
    )
  }
  return (
    <Card title={t('templates.versions')}>
      <SmallTable
        label={t('templates.versions')}
        titles={[t('column.version'), t('templates.news'), t('column.age'), t('column.actions')]}
        empty={t('templates.noVersions')}
        rows={versions.map((version) => {
          const number = t('templates.version', { number: version.status?.version ?? '–' })
          const isCurrent = version === current
          return {
            key: version.metadata.uid ?? '',
            cells: [
              <span key="number">
                {number} {isCurrent && <span className="tag">{t('templates.isDefault')}</span>}
              </span>,
              version.spec.description ?? '',
              <Age key="age" since={version.metadata.creationTimestamp} />,
              <span key="actions" className="btns">
                {mayLaunch && (
                  <Button
                    square
                    kind="quiet"
                    label={t('templates.launch')}
                    longLabel={t('action.of', { action: t('templates.launch'), name: number })}
                    onPress={() => setLaunching(version)}
                  >
                    <Play className="icon" aria-hidden />
                  </Button>
                )}
                {mayChoose && !isCurrent && (
                  <Button
                    square
                    kind="quiet"
                    label={t('templates.makeDefault')}
                    longLabel={t('action.of', { action: t('templates.makeDefault'), name: number })}
                    onPress={() => choose(version)}
                  >
                    <Star className="icon" aria-hidden />
                  </Button>
                )}
                {mayDelete && !isCurrent && (
                  <Button
                    square
                    kind="quiet"
                    label={t('delete.do')}
                    longLabel={t('action.of', { action: t('delete.do'), name: number })}
                    onPress={() => setDoomed(version)}
                  >
                    <Trash2 className="icon" aria-hidden />
                  </Button>
                )}
              </span>,
            ],
          }
        })}
      />
      <p className="in muted small">{t('templates.fixed')}</p>
      <Launch version={launching} onClose={() => setLaunching(undefined)} />
      <DeleteDialog
        place={VERSIONS}
        object={doomed}
        label={t('templates.version', { number: doomed?.status?.version ?? '–' })}
        note={t('templates.deleteVersion')}
        onClose={() => setDoomed(undefined)}
      />
    </Card>
  )
}
