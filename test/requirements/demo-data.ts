/** Rules for demo data. */
export default [
  {
    id: 'DEMO-1',
    rule: 'there are five users, ten products, eight orders and eight reviews, in the order of their ids',
    where: 'protocols 1',
  },
  { id: 'DEMO-2', rule: 'order totals are the exact sums of unit price times quantity', where: 'protocols 1' },
  { id: 'DEMO-3', rule: 'rows are frozen', where: 'protocols 1' },
]
