/** The list of shortcuts. */
import { openDialog } from '../lib/shell/dialogs.ts'
import { Dialog } from '../ui/dialog.tsx'

const KEYS: readonly (readonly [keys: string[], meaning: string])[] = [
  [['Alt+1', 'Alt+0'], 'Go to a view'],
  [['Ctrl+K'], 'Search views, endpoints, mocks and tools'],
  [['/'], 'Focus the filter or search field'],
  [['j', 'k', '↓', '↑'], 'Select the next or previous item'],
  [['Enter'], 'Open'],
  [['Esc'], 'Close'],
  [['c'], 'Copy as curl'],
  [['s'], 'Start or stop the load test'],
  [['p'], 'Toggle presenter mode'],
  [['?'], 'Show this list'],
]

export function KeyHelp() {
  return (
    <Dialog
      title="Keyboard shortcuts"
      onClose={() => {
        openDialog.value = null
      }}
    >
      <table class="key-help">
        <tbody>
          {KEYS.map(([keys, meaning]) => (
            <tr key={meaning}>
              <th scope="row">
                {keys.map((key, index) => (
                  <span key={key}>
                    {index > 0 && ' '}
                    <kbd>{key}</kbd>
                  </span>
                ))}
              </th>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">Single-letter shortcuts are ignored while you type. You can turn them off in the settings.</p>
    </Dialog>
  )
}
