/** AI playground: chat with the mock models in their vendors' wire formats, and compare two models side by side. */
import { useState } from 'preact/hooks'
import { callJson } from '../lib/instance/api.ts'
import { urlAt } from '../lib/instance/gateway.ts'
import { useLoad } from '../lib/shell/hooks.ts'
import { route, setParams } from '../lib/shell/router.ts'
import { plugins } from '../lib/instance/status.ts'
import { activeGateway } from '../lib/shell/storage.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Loading, Notice } from '../ui/notice.tsx'
import { ViewHeader } from '../ui/view.tsx'
import { Chat } from './ai/chat.tsx'
import { Compare } from './ai/compare.tsx'
import { ModelFields } from './ai/model-fields.tsx'
import {
  baseOf,
  DEFAULT_SETUP,
  prepare,
  svcHeaders,
  type AiIndex,
  type ModelTarget,
  type Prepared,
  type Provider,
  type Setup,
} from './ai/setup.ts'
import { SetupPanel } from './ai/setup-panel.tsx'
import { UsagePanel } from './ai/usage-panel.tsx'
import { ValidationPanel } from './ai/validation-panel.tsx'
import type { Turn } from './ai/types.ts'

export default function AiPlayground() {
  const index = useLoad(signal => callJson<AiIndex>('ai', { signal }), [plugins.value?.generation])
  const isComparing = route.value.params.get('compare') !== null
  return (
    <>
      <ViewHeader title="AI playground">
        <Button
          icon="compare"
          aria-pressed={isComparing}
          onClick={() => setParams({ compare: isComparing ? null : 'yes' })}
        >
          Compare
        </Button>
      </ViewHeader>
      {index.error !== null && <Notice kind="bad">{index.error}</Notice>}
      {index.value === undefined ? (
        index.isLoading && <Loading />
      ) : index.value.providers.length === 0 ? (
        <Empty title="No provider is enabled">Enable one of the LLM plugins in the overview.</Empty>
      ) : (
        <>
          <Playground index={index.value} isComparing={isComparing} />
          <UsagePanel />
          <ValidationPanel providers={index.value.providers} />
        </>
      )}
    </>
  )
}

function Playground({ index, isComparing }: { index: AiIndex; isComparing: boolean }) {
  const { providers } = index
  const [setup, setSetup] = useState<Setup>(DEFAULT_SETUP)
  const [chosen, setChosen] = useState<ChosenTarget>(() => targetOfLink(route.value.params))
  const named = providers.find(({ id }) => id === chosen.provider) ?? providers[0]!
  const target: ModelTarget = { ...chosen, provider: named.id, model: chosen.model ?? named.models[0] ?? '' }
  const other =
    providers.find(({ id }) => id === 'anthropic' && id !== named.id) ??
    providers.find(({ id }) => id !== named.id) ??
    named
  const [second, setSecond] = useState<ModelTarget>(() =>
    isThroughGateway(route.value.params)
      ? { ...target, gateway: activeGateway() }
      : { provider: other.id, model: other.models[0] ?? '', gateway: target.gateway },
  )
  const prompt = route.value.params.get('prompt') ?? ''

  const providerOf = ({ provider }: ModelTarget): Provider => providers.find(({ id }) => id === provider) ?? named
  // A custom base path belongs to one provider, so the comparison ignores it.
  const inUse = isComparing ? { ...setup, basePath: '' } : setup
  const prepareFor = (who: ModelTarget, turns: readonly Turn[]): Prepared =>
    prepare(inUse, providerOf(who), who.model, who.gateway, turns)
  function choose(next: ModelTarget): void {
    setChosen(next)
    setParams({ provider: next.provider, model: next.model })
  }

  function code(who: ModelTarget, turns: readonly Turn[]): string {
    try {
      const { format, body } = prepareFor(who, turns)
      return format.code({
        baseUrl: urlAt(baseOf(inUse, providerOf(who)), who.gateway),
        key: setup.key,
        body,
        model: who.model,
        stream: setup.stream,
        headers: Object.fromEntries(svcHeaders(setup).map(({ name, value }) => [name, value])),
      })
    } catch (error) {
      return `// ${(error as Error).message}`
    }
  }

  return (
    <div class={`ai-split ${isComparing ? 'comparing' : ''}`}>
      <SetupPanel
        index={index}
        setup={setup}
        onSetup={changes => setSetup(old => ({ ...old, ...changes }))}
        basePath={isComparing ? null : named.base_path}
      >
        {!isComparing && <ModelFields providers={providers} target={target} onTarget={choose} />}
      </SetupPanel>
      {isComparing ? (
        <Compare
          initialPrompt={prompt}
          providers={providers}
          targets={[target, second]}
          setup={setup}
          onTargets={([a, b]) => {
            choose(a)
            setSecond(b)
          }}
          prepare={prepareFor}
          code={code}
        />
      ) : (
        <Chat
          prompt={prompt}
          setup={setup}
          prepare={turns => prepareFor(target, turns)}
          code={turns => code(target, turns)}
        />
      )}
    </div>
  )
}

/** A model of null means the provider's first model. */
type ChosenTarget = Omit<ModelTarget, 'model'> & { model: string | null }

function targetOfLink(params: URLSearchParams): ChosenTarget {
  return {
    provider: params.get('provider') ?? '',
    model: params.get('model'),
    gateway: isThroughGateway(params) ? null : activeGateway(),
  }
}

/** Whether the link compares the same model directly and through the gateway, instead of two models. */
function isThroughGateway(params: URLSearchParams): boolean {
  return params.get('compare') === 'gateway' && activeGateway() !== null
}
