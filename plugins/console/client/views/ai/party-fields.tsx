/** Fields for provider, model and target. */
import { settings } from '../../lib/shell/storage.ts'
import { Select, TextField } from '../../ui/field.tsx'
import { TargetSelect } from '../request/target.tsx'
import type { Party, Provider } from './setup.ts'

export interface PartyFieldsProps {
  providers: readonly Provider[]
  party: Party
  onParty(party: Party): void
  /** Appended to the labels if there are two sets of fields. */
  suffix?: string
}

const OTHER = '…'

export function PartyFields({ providers, party, onParty, suffix = '' }: PartyFieldsProps) {
  const provider = providers.find(({ id }) => id === party.provider)
  const models = provider?.models ?? []
  const isListed = models.includes(party.model)
  return (
    <div class="ai-fields">
      <Select
        label={`Provider${suffix}`}
        value={party.provider}
        options={providers.map(({ id, title }) => ({ value: id, label: title }))}
        onValue={id =>
          onParty({ ...party, provider: id, model: providers.find(candidate => candidate.id === id)?.models[0] ?? '' })
        }
      />
      <Select
        label={`Model${suffix}`}
        value={isListed ? party.model : OTHER}
        options={[...models, { value: OTHER, label: 'Other…' }]}
        onValue={model => onParty({ ...party, model: model === OTHER ? '' : model })}
      />
      {!isListed && (
        <TextField
          mono
          label={`Model name${suffix}`}
          value={party.model}
          onValue={model => onParty({ ...party, model })}
          hint="Any name works. A name that contains echo, scripted or random selects this mode."
        />
      )}
      {settings.value.gateways.length > 0 && (
        <TargetSelect
          label={`Target${suffix}`}
          gateway={party.gateway}
          onGateway={gateway => onParty({ ...party, gateway })}
        />
      )}
    </div>
  )
}
