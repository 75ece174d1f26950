/** The gateways that are kept, and which of them requests go through. */
import type { Gateway } from '../lib/shell/storage.ts'
import { Button } from '../ui/button.tsx'
import { Select, TextField } from '../ui/field.tsx'
import { HeaderEditor } from '../ui/header-list.tsx'

export interface GatewayFieldsProps {
  gateways: readonly Gateway[]
  /** Index of the one that is used; -1: direct. */
  active: number
  problem: string | null
  onGateways(gateways: Gateway[], active: number): void
}

/** What is wrong with a gateway; null: nothing. */
export function gatewayProblem({ url }: Gateway): string | null {
  const parsed = URL.canParse(url.trim()) ? new URL(url.trim()) : null
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    return 'An absolute http or https URL, such as http://localhost:8000/demo.'
  if (parsed.search !== '' || parsed.hash !== '' || parsed.username !== '' || parsed.password !== '')
    return 'Without user, query and fragment.'
  return null
}

export function GatewayFields({ gateways, active, problem, onGateways }: GatewayFieldsProps) {
  const gateway = gateways[active]
  const options = [
    { value: '-1', label: 'direct, no gateway' },
    ...gateways.map(({ name, url }, index) => ({ value: String(index), label: name || url || 'new gateway' })),
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
      <legend>Requests go through</legend>
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
        placeholder="none: requests go directly to the instance"
        value={gateway?.url ?? ''}
        error={problem}
        onValue={url => change({ url })}
        hint="The instance's paths lie below it. The control plane is always asked directly."
      />
      {gateway && (
        <>
          <TextField label="Gateway name" value={gateway.name} onValue={name => change({ name })} />
          <div class="field">
            <span class="label">Extra headers</span>
            <HeaderEditor label="Gateway header" headers={gateway.headers} onHeaders={headers => change({ headers })} />
            <p class="hint">For example an API key of the gateway.</p>
          </div>
          <div class="actions">
            <Button
              small
              icon="plus"
              onClick={() => onGateways([...gateways, { name: '', url: '', headers: [] }], gateways.length)}
            >
              Another gateway
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
              Remove this gateway
            </Button>
          </div>
        </>
      )}
    </fieldset>
  )
}
