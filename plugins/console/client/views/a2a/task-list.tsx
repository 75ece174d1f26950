/** Tasks of this session at the agent (protocol version 1.0 only). */
import { useAction } from '../../lib/shell/hooks.ts'
import { useState } from 'preact/hooks'
import type { MessageLog } from '../../lib/protocol/message-log.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { A2aClient } from './client.ts'
import { StateBadge } from './task-panel.tsx'
import type { AgentTarget } from './types.ts'
import { readTask } from './wire.ts'

export function TaskList({ target, log, onOpen }: { target: AgentTarget; log: MessageLog; onOpen(id: string): void }) {
  const [tasks, setTasks] = useState<ReturnType<typeof readTask>[] | null>(null)
  const list = useAction(async () => setTasks((await new A2aClient(target, log).list()).map(readTask)))
  if (target.version !== '1.0') return <p class="hint">Listing tasks requires version 1.0.</p>
  return (
    <div class="stack">
      <div class="actions">
        <Button small icon="replay" busy={list.isRunning} onClick={() => void list.run()}>
          List tasks
        </Button>
      </div>
      {list.error !== null && <Notice kind="bad">{list.error}</Notice>}
      {tasks?.length === 0 && <p class="quiet-text">No tasks.</p>}
      {tasks !== null && tasks.length > 0 && (
        <ul class="a2a-tasks" aria-label="Tasks">
          {tasks.map(({ id, status }) => (
            <li key={id}>
              <button type="button" onClick={() => onOpen(id)}>
                <code>{id}</code> <StateBadge state={status.state} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
