/** The files of the demo skills. */

export const REFUNDS: Record<string, string> = {
  'SKILL.md': `---
name: refunds
description: Decide whether an order may be refunded, and how much. Use it when a customer asks for money back.
license: Apache-2.0
metadata:
  owner: payments
---

# Refunds

1. Read the limits in [references/limits.md](references/limits.md).
2. Check the amount with \`scripts/check.py\`.
3. Ask a person if the amount is above the limit.
`,
  'references/limits.md': `# Limits

| Tier | Without approval |
|---|---|
| bronze | 50.00 |
| silver | 200.00 |
| gold | 1000.00 |
`,
  'scripts/check.py': `"""Prints whether a refund needs an approval: check.py TIER AMOUNT"""
import sys

LIMITS = {"bronze": 50, "silver": 200, "gold": 1000}
tier, amount = sys.argv[1], float(sys.argv[2])
print("ok" if amount <= LIMITS.get(tier, 0) else "needs approval")
`,
}

export const INCIDENT_NOTES: Record<string, string> = {
  'SKILL.md': `---
name: incident-notes
description: Write notes about an incident. Use it while an incident is open.
---

# Incident notes

Write one line for each event: the time in UTC, what happened, and who did what. Do not guess causes.
`,
}

export const LIVE_PRICES: Record<string, string> = {
  'SKILL.md': `---
name: live-prices
description: Look up prices that change often. Use it before you quote a price.
---

# Live prices

The prices are in [prices.json](prices.json). Read the file again for each quote.
`,
  'prices.json': '{ "currency": "EUR", "prices": { "p1": 79.9, "p2": 24.5 } }\n',
}

export const DRAFTS: Record<string, string> = {
  'SKILL.md': `---
name: drafts
description: A skill that the list does not show. Clients find it by its URI.
---

# Drafts

This skill is not finished.
`,
}
