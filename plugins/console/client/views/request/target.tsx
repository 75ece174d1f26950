/** Selects where a request goes: directly to the instance, or through a gateway from the settings. */
import { settings, type Gateway } from '../../lib/shell/storage.ts'
import { Select } from '../../ui/field.tsx'

export function TargetSelect({
  label = 'Target',
  gateway,
  onGateway,
}: {
  label?: string
  gateway: Gateway | null
  onGateway(gateway: Gateway | null): void
}) {
  const { gateways } = settings.value
  return (
    <Select
      label={label}
      value={gateway?.name ?? ''}
      onValue={name => onGateway(gateways.find(candidate => candidate.name === name) ?? null)}
      options={[
        { value: '', label: 'Direct to the instance' },
        ...gateways.map(({ name }) => ({ value: name, label: `Through ${name}` })),
      ]}
    />
  )
}
