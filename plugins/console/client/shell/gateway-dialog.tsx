/** Dialog behind the target in the top bar: sends a request through a gateway. */
import { openDialog } from '../lib/shell/dialogs.ts'
import { activeGateway, changeSettings } from '../lib/shell/storage.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { SendThrough } from '../views/request/send-through.tsx'

export function GatewayDialog() {
  const close = () => {
    openDialog.value = null
  }
  return (
    <Dialog
      title="Send through my gateway"
      wide
      onClose={close}
      actions={
        <>
          {activeGateway() !== null && (
            <Button
              onClick={() => {
                changeSettings({ target: null })
                close()
              }}
            >
              Send directly again
            </Button>
          )}
          <Button
            icon="settings"
            onClick={() => {
              openDialog.value = 'settings'
            }}
          >
            All gateways
          </Button>
        </>
      }
    >
      <p>
        The console sends a request to your gateway, finds it where it arrives, and shows what the gateway added,
        changed or removed. Requests of the other views take the same route from then on.
      </p>
      <SendThrough onSent={close} />
    </Dialog>
  )
}
