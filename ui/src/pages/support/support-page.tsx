// Support: what runs here, where to look first, and one archive for somebody who helps.
import { useEffect, useState } from 'react'
import { tell } from '../../app/messages.ts'
import { useWords } from '../../app/words.ts'
import { call, messageOf, send } from '../../data/api.ts'
import { HOSTS } from '../../data/kinds.ts'
import { bytesText } from '../../data/measures.ts'
import { saveFile } from '../../data/save-file.ts'
import { useObjects } from '../../data/use-objects.ts'
import { Button } from '../../parts/button.tsx'
import { Card, Facts } from '../kit/facts.tsx'
import { useMay } from '../kit/may.ts'
import { SECRETS, SETTINGS } from '../kit/places.ts'
import '../kit/kit.css'

export function SupportPage() {
  const { t } = useWords()
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('page.support')}</h1>
      </div>
      <div className="columns">
        <div className="stack">
          <Bundle />
          <Versions />
        </div>
        <Card title={t('support.help')}>
          <div className="in stack">
            <p>{t('support.help.why')}</p>
            <p>{t('support.help.command', { command: 'croft why vm/NAME' })}</p>
            <p>{t('support.help.log', { command: 'journalctl -u croft' })}</p>
          </div>
        </Card>
      </div>
    </div>
  )
}

function Bundle() {
  const { t, language } = useWords()
  const may = useMay({ verb: 'list', place: SECRETS })
  const [busy, setBusy] = useState(false)
  const make = async () => {
    if (busy) return
    setBusy(true)
    try {
      const response = await send('/v1-croft/support-bundle')
      const name = /filename="([\w.-]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
      const text = await response.text()
      saveFile(name ?? 'croft-support.tar', 'application/x-tar', text)
      tell('ok', t('support.made', { size: bytesText(language, text.length) }))
    } catch (error) {
      tell('bad', messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Card title={t('support.bundle')}>
      <div className="in stack">
        <p>{t('support.bundle.what')}</p>
        {may === false && <p className="muted">{t('support.noRight')}</p>}
        {may && (
          <div>
            <Button kind="primary" onPress={() => void make()}>
              {t('support.do')}
            </Button>
          </div>
        )}
        <p role="status" className="muted">
          {busy ? t('support.making') : ''}
        </p>
      </div>
    </Card>
  )
}

function Versions() {
  const { t } = useWords()
  const [api, setApi] = useState('')
  const maySettings = useMay({ verb: 'list', place: SETTINGS })
  const mayHosts = useMay({ verb: 'list', place: HOSTS })
  const settings = useObjects(SETTINGS, { name: 'server-version', skip: maySettings !== true })
  const hosts = useObjects(HOSTS, { skip: mayHosts !== true })
  useEffect(() => {
    call<{ readonly gitVersion?: string }>('/version').then(
      ({ gitVersion = '' }) => setApi(gitVersion),
      () => undefined,
    )
  }, [])
  const [version] = settings.list
  return (
    <Facts
      title={t('support.version')}
      facts={[
        [t('support.version.croft'), version?.value || version?.default || '–'],
        [t('support.version.api'), api],
        [
          t('support.version.hosts'),
          hosts.list
            .map(({ metadata, status }) => `${metadata.name}: ${status?.nodeInfo?.osImage ?? ''}`)
            .join('; '),
        ],
      ]}
    />
  )
}
