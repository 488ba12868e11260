// One project: its share of the cluster and how much of it is used, and its members.
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { isSystemNamespace } from '../../app/project.ts'
import { useWords } from '../../app/words.ts'
import { MACHINES } from '../../data/kinds.ts'
import { timeText } from '../../data/measures.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Button } from '../../parts/button.tsx'
import { Meter } from '../../parts/meter.tsx'
import { DeleteButton } from '../kit/delete-dialog.tsx'
import { Card, Facts } from '../kit/facts.tsx'
import { useMay } from '../kit/may.ts'
import { ObjectPage } from '../kit/object-page.tsx'
import { PROJECTS, type Project, QUOTAS, type ResourceQuota } from '../kit/places.ts'
import { DeleteProject } from './delete-project.tsx'
import { Members } from './members-card.tsx'
import { DESCRIPTION, ProjectForm } from './project-form.tsx'
import { projectState } from './project-state.ts'
import { QUOTA_NAME, RESOURCES, usageOf } from './quota.ts'
import { useOneProject } from './use-projects.ts'

export function ProjectPage() {
  const { t, language } = useWords()
  const { name } = useParams({ from: '/projects/$name' })
  const projects = useOneProject(name)
  const mayQuotas = useMay({ verb: 'list', place: QUOTAS, namespace: name })
  const quotas = useObjects(QUOTAS, { namespace: name, skip: mayQuotas !== true })
  const quota = quotas.list.find(({ metadata }) => metadata.name === QUOTA_NAME)
  return (
    <ObjectPage
      place={PROJECTS}
      objects={projects}
      name={name}
      back={<Link to="/projects">{t('kit.backToList')}</Link>}
      shown={(project) => projectState(language, project)}
      actions={(project) => <Actions project={project} quota={quota} />}
      why={(project) => {
        const { message, word, tone } = projectState(language, project)
        return message ? (
          <section className={`note ${tone}`} aria-label={t('machine.why')}>
            <strong>{word}</strong>
            {message}
          </section>
        ) : null
      }}
      overview={(project) => <Overview project={project} quotas={quotas.list} />}
    />
  )
}

function Actions({
  project,
  quota,
}: {
  readonly project: Project
  readonly quota: ResourceQuota | undefined
}) {
  const { t } = useWords()
  const navigate = useNavigate()
  const { name = '' } = project.metadata
  const mayChange = useMay({ verb: 'patch', place: PROJECTS, name })
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <>
      <Link to="/machines" search={{ project: name }} className="btn">
        {t('projects.open')}
      </Link>
      {mayChange && <Button onPress={() => setOpen('edit')}>{t('kit.edit')}</Button>}
      {!isSystemNamespace(name) && name !== 'default' && (
        <DeleteButton place={PROJECTS} object={project} onPress={() => setOpen('delete')} />
      )}
      <ProjectForm isOpen={open === 'edit'} old={project} quota={quota} onClose={close} />
      <DeleteProject
        project={open === 'delete' ? project : undefined}
        onClose={close}
        onDeleted={() => void navigate({ to: '/projects' })}
      />
    </>
  )
}

interface OverviewProps {
  readonly project: Project
  readonly quotas: readonly ResourceQuota[]
}

function Overview({ project, quotas }: OverviewProps) {
  const { t, language } = useWords()
  const { name = '', annotations, creationTimestamp } = project.metadata
  const mayMachines = useMay({ verb: 'list', place: MACHINES, namespace: name })
  const machines = useObjects(MACHINES, { namespace: name, skip: mayMachines !== true })
  return (
    <div className="columns">
      <div className="stack">
        <Facts
          title={t('projects.facts')}
          facts={[
            [t('kit.description'), annotations?.[DESCRIPTION] ?? '–'],
            [t('projects.machines'), machines.list.length],
            [t('machine.created'), timeText(language, creationTimestamp)],
          ]}
        />
        <Quotas quotas={quotas} />
      </div>
      <Members namespace={name} />
    </div>
  )
}

function Quotas({ quotas }: { readonly quotas: readonly ResourceQuota[] }) {
  const { t, language } = useWords()
  const usages = quotas.flatMap((quota) => usageOf(language, quota))
  const titleOf = (resource: string) => {
    const field = (Object.keys(RESOURCES) as (keyof typeof RESOURCES)[]).find(
      (one) => RESOURCES[one] === resource,
    )
    if (field === 'memory') return t('column.memory')
    if (field === 'storage') return t('volumes.disk')
    return field ? t(`projects.quota.${field}`) : resource
  }
  return (
    <Card title={t('projects.quota')}>
      <div className="in stack">
        {usages.length === 0 && <p className="muted">{t('projects.quota.none')}</p>}
        {usages.map(({ resource, used, hard, part }) => (
          <div key={resource} className="usage">
            <span>{titleOf(resource)}</span>
            <span className="muted">{t('projects.used', { used, hard })}</span>
            <Meter value={part} label={titleOf(resource)} />
          </div>
        ))}
      </div>
    </Card>
  )
}
