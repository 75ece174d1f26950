/** Fields for provider, model and target. */
import { settings } from '../../lib/shell/storage.ts'
import { Select, TextField } from '../../ui/field.tsx'
import { TargetSelect } from '../request/target.tsx'
import type { ModelTarget, Provider } from './setup.ts'

export interface ModelFieldsProps {
  providers: readonly Provider[]
  target: ModelTarget
  onTarget(target: ModelTarget): void
  /** Appended to the labels if there are two sets of fields. */
  suffix?: string
}

const OTHER = '…'

export function ModelFields({ providers, target, onTarget, suffix = '' }: ModelFieldsProps) {
  const provider = providers.find(({ id }) => id === target.provider)
  const models = provider?.models ?? []
  const isListed = models.includes(target.model)
  return (
    <div class="ai-fields">
      <Select
        label={`Provider${suffix}`}
        value={target.provider}
        options={providers.map(({ id, title }) => ({ value: id, label: title }))}
        onValue={id =>
          onTarget({
            ...target,
            provider: id,
            model: providers.find(candidate => candidate.id === id)?.models[0] ?? '',
          })
        }
      />
      <Select
        label={`Model${suffix}`}
        value={isListed ? target.model : OTHER}
        options={[...models, { value: OTHER, label: 'Other…' }]}
        onValue={model => onTarget({ ...target, model: model === OTHER ? '' : model })}
      />
      {!isListed && (
        <TextField
          mono
          label={`Model name${suffix}`}
          value={target.model}
          onValue={model => onTarget({ ...target, model })}
          hint="Any name works. A name that contains echo, scripted or random selects this mode."
        />
      )}
      {settings.value.gateways.length > 0 && (
        <TargetSelect
          label={`Target${suffix}`}
          gateway={target.gateway}
          onGateway={gateway => onTarget({ ...target, gateway })}
        />
      )}
    </div>
  )
}
