/** Chooses what the client sent, for a request that the console did not send: a twin in the list, or a curl command. */
import { useState } from 'preact/hooks'
import { readCurl } from '../../lib/protocol/read-curl.ts'
import { formatTime, type Entry } from '../../lib/protocol/http.ts'
import { chooseClientSide, sideOfEntry, twinsOf, type ClientSide } from '../../lib/traffic/client-side.ts'
import { live } from '../../lib/traffic/live.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/field.tsx'

const MAX_TWINS = 2

export function ClientSideChoice({ entry, side }: { entry: Entry; side: ClientSide | null }) {
  const [isPasting, setPasting] = useState(false)
  if (side !== null)
    return (
      <div class="actions not-presented">
        <Button small icon="close" onClick={() => chooseClientSide(entry.id, null)}>
          Stop comparing
        </Button>
      </div>
    )
  return (
    <div class="client-side actions not-presented">
      <span class="hint">Compare with what the client sent:</span>
      {twinsOf(entry, live.entries.value)
        .slice(0, MAX_TWINS)
        .map(({ entry: twin, sameness }) => (
          <Button
            key={twin.id}
            small
            icon="compare"
            title={`Treats ${twin.method} ${twin.uri} as what the client sent`}
            onClick={() => chooseClientSide(entry.id, sideOfEntry(twin))}
          >
            {`${formatTime(twin.timestamp).slice(0, -4)}, ${sameness}`}
          </Button>
        ))}
      <Button small icon="edit" onClick={() => setPasting(true)}>
        Paste a curl command
      </Button>
      {isPasting && <PasteDialog entry={entry} onClose={() => setPasting(false)} />}
    </div>
  )
}

function PasteDialog({ entry, onClose }: { entry: Entry; onClose(): void }) {
  const [command, setCommand] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  function compare(): void {
    const read = readCurl(command)
    if (typeof read === 'string') return setProblem(read)
    const url = new URL(read.url)
    const headers = read.headers.map(({ name, value }) => ({ name: name.toLowerCase(), value }))
    chooseClientSide(entry.id, {
      source: 'a pasted curl command',
      request: {
        method: read.method,
        uri: url.pathname + url.search,
        headers: [{ name: 'host', value: url.host }, ...headers],
        body: new TextEncoder().encode(read.body),
        isCut: false,
      },
    })
    onClose()
  }
  return (
    <Dialog
      title="What the client sent"
      onClose={onClose}
      actions={
        <Button kind="primary" icon="compare" onClick={compare}>
          Compare
        </Button>
      }
    >
      <TextArea
        label="curl command"
        mono
        rows={8}
        placeholder="curl -X POST https://gateway.example/orders -H 'Content-Type: application/json' -d '{}'"
        value={command}
        error={problem}
        onValue={setCommand}
        hint="Paste the command of the client, or “Copy as cURL” of a browser. Nothing is sent."
      />
    </Dialog>
  )
}
