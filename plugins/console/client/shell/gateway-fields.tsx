/** The configured gateways, and which of them requests go through. */
import type { Gateway } from '../lib/shell/storage.ts'
import { Button } from '../ui/button.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { HeaderEditor } from '../ui/header-list.tsx'

export interface GatewayFieldsProps {
  gateways: readonly Gateway[]
  /** Index of the active gateway; -1: requests go directly to the instance. */
  active: number
  problem: string | null
  onGateways(gateways: Gateway[], active: number): void
}

export function GatewayFields({ gateways, active, problem, onGateways }: GatewayFieldsProps) {
  const gateway = gateways[active]
  const options = [
    { value: '-1', label: 'Direct (no gateway)' },
    ...gateways.map(({ name, url }, index) => ({ value: String(index), label: name || url || 'New gateway' })),
  ]

  function change(changes: Partial<Gateway>): void {
    if (gateway === undefined)
      onGateways([...gateways, { name: '', url: '', headers: [], ...changes }], gateways.length)
    else
      onGateways(
        gateways.map((kept, index) => (index === active ? { ...kept, ...changes } : kept)),
        active,
      )
  }

  return (
    <fieldset>
      <legend>Gateway</legend>
      {gateways.length > 0 && (
        <Select
          label="Target"
          value={String(active)}
          options={options}
          onValue={value => onGateways([...gateways], Number(value))}
        />
      )}
      <TextField
        label="Gateway base URL"
        mono
        placeholder="None: requests go directly to the instance"
        value={gateway?.url ?? ''}
        error={problem}
        onValue={url => change({ url })}
        hint="Paths of the instance are appended to this URL. Control plane requests always go directly to the instance."
      />
      {gateway && (
        <>
          <TextField label="Gateway name" value={gateway.name} onValue={name => change({ name })} />
          <div class="field">
            <span class="label">Extra headers</span>
            <HeaderEditor label="Gateway header" headers={gateway.headers} onHeaders={headers => change({ headers })} />
            <p class="hint">For example, an API key for the gateway.</p>
          </div>
          <div class="actions">
            <Button
              small
              icon="plus"
              onClick={() => onGateways([...gateways, { name: '', url: '', headers: [] }], gateways.length)}
            >
              Add gateway
            </Button>
            <Button
              small
              icon="trash"
              onClick={() =>
                onGateways(
                  gateways.filter(kept => kept !== gateway),
                  -1,
                )
              }
            >
              Remove gateway
            </Button>
          </div>
        </>
      )}
    </fieldset>
  )
}
