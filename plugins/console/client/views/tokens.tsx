/** Token lab: get, inspect and try tokens; sign requests and webhooks. */
import { route, setParams } from '../lib/shell/router.ts'
import { enabledPaths } from '../lib/instance/status.ts'
import { Tabs, type Tab } from '../ui/tabs.tsx'
import { Panel, ViewHeader } from '../ui/view.tsx'
import { ExchangeList } from './request/exchange-list.tsx'
import { GetToken } from './tokens/get-token.tsx'
import { HmacLab } from './tokens/hmac.tsx'
import { exchanges } from './tokens/lab.ts'
import { ClaimsPanel, TokenPanel } from './tokens/token-panel.tsx'
import { WebhookLab } from './tokens/webhooks.tsx'

export default function Tokens() {
  const paths = enabledPaths.value ?? []
  const tabs: Tab[] = [{ key: 'tokens', title: 'Tokens', content: () => <TokenLab /> }]
  if (paths.includes('/auth')) tabs.push({ key: 'hmac', title: 'HMAC', content: () => <HmacLab /> })
  if (paths.includes('/webhooks')) tabs.push({ key: 'webhooks', title: 'Webhooks', content: () => <WebhookLab /> })
  return (
    <>
      <ViewHeader title="Token lab" about="Get tokens from the built-in provider, inspect them and try them." />
      <Tabs
        label="Labs"
        tabs={tabs}
        selected={route.value.params.get('tab') ?? 'tokens'}
        onSelect={key => setParams({ tab: key === 'tokens' ? null : key })}
      />
    </>
  )
}

function TokenLab() {
  return (
    <div class="tokens-split">
      <GetToken />
      <div class="stack">
        <TokenPanel />
        <ClaimsPanel />
        {exchanges.value.length > 0 && (
          <Panel title="Requests and responses">
            <ExchangeList exchanges={exchanges.value} />
          </Panel>
        )}
      </div>
    </div>
  )
}
