// What can be done with a list as a whole: choose its columns, take it along as CSV.
import { Check, Columns3, Download } from 'lucide-react'
import { Button as AriaButton, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { useWords } from '../app/words.ts'
import { saveFile } from '../data/save-file.ts'
import { csvOf } from '../data/sorting.ts'
import { Button } from './button.tsx'
import type { Column } from './data-table.tsx'
import type { ColumnChoice } from './list-columns.ts'

export interface ListMenuProps<T> {
  readonly choice: ColumnChoice<T>
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  /** Of the file. */
  readonly name: string
}

/** A byte order mark tells spreadsheets that the text is UTF-8. */
const BOM = '\uFEFF'

export function ListMenu<T>({ choice, columns, rows, name }: ListMenuProps<T>) {
  const { t } = useWords()
  const optional = columns.filter(({ title }) => title !== '')
  return (
    <span className="btns">
      <MenuTrigger>
        <AriaButton className="btn quiet square" aria-label={t('list.columns')}>
          <Columns3 className="icon" aria-hidden />
        </AriaButton>
        <Popover className="popover" offset={4}>
          <Menu
            className="menu"
            aria-label={t('list.columns')}
            selectionMode="multiple"
            selectedKeys={optional.filter(({ id }) => choice.isShown(id)).map(({ id }) => id)}
            onSelectionChange={(keys) => {
              for (const { id } of optional)
                if ((keys === 'all' || keys.has(id)) !== choice.isShown(id)) choice.toggle(id)
            }}
          >
            {optional.map(({ id, title }) => (
              <MenuItem key={id} id={id} textValue={title}>
                <Check className="icon check" aria-hidden />
                <span>{title}</span>
              </MenuItem>
            ))}
          </Menu>
        </Popover>
      </MenuTrigger>
      <Button
        kind="quiet"
        square
        label={t('list.csv')}
        isDisabled={rows.length === 0}
        onPress={() => saveFile(`${name}.csv`, 'text/csv', BOM + csvOf(rows, choice.shown))}
      >
        <Download className="icon" aria-hidden />
      </Button>
    </span>
  )
}
