/** The effective configuration and its warnings. */
import { callJson } from '../../lib/instance/api.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import { formatTime } from '../../lib/protocol/http.ts'
import { plugins } from '../../lib/instance/status.ts'
import { JsonTree } from '../../ui/json-tree.tsx'
import { Loading, Notice } from '../../ui/notice.tsx'
import { Facts, Panel } from '../../ui/view.tsx'

interface Config {
  warnings: string[]
  [name: string]: unknown
}

export function Configuration() {
  const list = plugins.value
  const { value: config, error } = useLoad(signal => callJson<Config>('_svc/config', { signal }), [list?.generation])
  return (
    <Panel title="Configuration">
      {error && <Notice kind="warn">{error}</Notice>}
      {config?.warnings.map(warning => (
        <Notice key={warning} kind="warn">
          {warning}
        </Notice>
      ))}
      {list && (
        <Facts
          items={[
            ['File', list.config_file && <code key="file">{list.config_file}</code>],
            ['Generation', `${list.generation}, loaded ${formatTime(list.loaded_at).slice(0, 8)}`],
          ]}
        />
      )}
      {config === undefined ? (
        !error && <Loading />
      ) : (
        <details class="overview-group">
          <summary>All settings</summary>
          <JsonTree value={config} depth={1} />
        </details>
      )}
    </Panel>
  )
}
