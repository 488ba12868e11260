// The settings of the cluster: what each steers, what is in force, and changing it.
import { Pencil } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useWords } from '../../app/words.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Button } from '../../parts/button.tsx'
import type { Column } from '../../parts/data-table.tsx'
import { actionsColumn, textColumn } from '../kit/columns.tsx'
import { useMay } from '../kit/may.ts'
import { ObjectsPage } from '../kit/objects-page.tsx'
import { SETTINGS, type Setting } from '../kit/places.ts'
import { useSettingDoc } from './setting-doc.ts'
import { inForce, isChanged, isHidden, isReadOnly } from './setting-fields.ts'
import { SettingForm } from './setting-form.tsx'

export function SettingsPage() {
  const { t } = useWords()
  const settings = useObjects(SETTINGS)
  const mayChange = useMay({ verb: 'patch', place: SETTINGS })
  const [open, setOpen] = useState<Setting>()
  const columns = useMemo((): readonly Column<Setting>[] => {
    const sourceOf = (one: Setting) => t(isChanged(one) ? 'settings.changed' : 'settings.default')
    return [
      {
        id: 'name',
        title: t('column.name'),
        wraps: true,
        cell: ({ metadata: { name = '' } }) => <NameAndDoc name={name} />,
        sortKey: ({ metadata }) => metadata.name ?? '',
      },
      {
        id: 'value',
        title: t('settings.value'),
        wraps: true,
        priority: 2,
        cell: (one) => <Value setting={one} />,
        sortKey: (one) => (isHidden(one) ? '' : inForce(one)),
      },
      textColumn('source', t('settings.source'), sourceOf, {
        priority: 3,
        cell: (one) => <span className={isChanged(one) ? 'tag' : 'muted'}>{sourceOf(one)}</span>,
      }),
      actionsColumn(t, (one) =>
        mayChange && !isReadOnly(one.metadata.name ?? '') ? (
          <Button
            square
            kind="quiet"
            label={t('kit.edit')}
            longLabel={t('action.of', { action: t('kit.edit'), name: one.metadata.name ?? '' })}
            onPress={() => setOpen(one)}
          >
            <Pencil className="icon" aria-hidden />
          </Button>
        ) : null,
      ),
    ]
  }, [t, mayChange])
  return (
    <ObjectsPage
      id="settings"
      title={t('page.settings')}
      objects={settings}
      columns={columns}
      filterHint={t('kit.filterName')}
      empty={{ title: t('settings.empty'), next: t('settings.empty.next') }}
    >
      <SettingForm setting={open} onClose={() => setOpen(undefined)} />
    </ObjectsPage>
  )
}

function NameAndDoc({ name }: { readonly name: string }) {
  const doc = useSettingDoc(name)
  return (
    <>
      <strong>{name}</strong>
      <br />
      <span className="muted small">{doc}</span>
    </>
  )
}

function Value({ setting }: { readonly setting: Setting }) {
  const { t } = useWords()
  const value = inForce(setting)
  if (value === '' || value === '{}') return <span className="muted">{t('settings.notSet')}</span>
  if (isHidden(setting)) return <span className="muted">{t('settings.hidden')}</span>
  return <code>{value.length > 160 ? `${value.slice(0, 160)}…` : value}</code>
}
