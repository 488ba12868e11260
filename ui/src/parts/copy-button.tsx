// Copies a text to the clipboard.
import { Copy } from 'lucide-react'
import { tell } from '../app/messages.ts'
import { useWords } from '../app/words.ts'
import { messageOf } from '../data/api.ts'
import { Button } from './button.tsx'

export function CopyButton({ text, of }: { readonly text: string; readonly of: string }) {
  const { t } = useWords()
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => tell('ok', t('app.copied')),
      (error: unknown) => tell('bad', messageOf(error)),
    )
  return (
    <Button
      kind="quiet"
      square
      label={t('app.copy')}
      longLabel={`${t('app.copy')}: ${of}`}
      onPress={() => void copy()}
    >
      <Copy className="icon" aria-hidden />
    </Button>
  )
}
