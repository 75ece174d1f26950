/** The list of shortcuts. */
import { openDialog } from '../lib/shell/dialogs.ts'
import { Dialog } from '../ui/dialog.tsx'

const KEYS: readonly (readonly [keys: string[], meaning: string])[] = [
  [['Alt+1', 'Alt+0'], 'Go to a view'],
  [['Ctrl+K'], 'Go anywhere: views, endpoints, mocks, tools'],
  [['/'], 'Filter'],
  [['j', 'k', '↓', '↑'], 'Next and previous in a list'],
  [['Enter'], 'Open'],
  [['Esc'], 'Close'],
  [['c'], 'Copy as curl'],
  [['s'], 'Start and stop a load'],
  [['p'], 'Presenter mode'],
  [['?'], 'This list'],
]

export function KeyHelp() {
  return (
    <Dialog
      title="Keys"
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
      <p class="hint">Letters do nothing while you type; they can be switched off in the settings.</p>
    </Dialog>
  )
}
