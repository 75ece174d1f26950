/** What changes the responses of an operation, and how often it was requested. */
import { formatNumber } from '../../lib/protocol/http.ts'
import { Badge } from '../../ui/badge.tsx'
import type { Operation } from './types.ts'

export function OperationBadges({ override, rules, requests }: Pick<Operation, 'override' | 'rules' | 'requests'>) {
  return (
    <>
      {override !== null && <Badge tone="warn">override</Badge>}
      {rules > 0 && (
        <Badge tone="warn">
          {rules} {rules === 1 ? 'rule' : 'rules'}
        </Badge>
      )}
      <span class="quiet-text">
        {formatNumber(requests)} {requests === 1 ? 'request' : 'requests'}
      </span>
    </>
  )
}
