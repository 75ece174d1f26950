/** The clients for tests in Python, Java and Go. */
export default [
  {
    id: 'CLIENTS-1',
    rule: 'All clients use the routes of clients/contract.json and no others; the OpenAPI document has all of them, with the parameters, members and statuses that the clients rely on.',
    where: 'docs/clients.md',
  },
  {
    id: 'CLIENTS-2',
    rule: 'svc has the variables, and prints the lines, that clients rely on which start it.',
    where: 'docs/clients.md',
  },
  {
    id: 'CLIENTS-3',
    rule: 'Clients start svc, attach to it, keep sessions apart, and report errors, failed verifications and waits with what came instead; what they start ends with them.',
    where: 'docs/clients.md',
  },
  {
    id: 'CLIENTS-4',
    rule: 'The examples of the page pass for somebody who has an empty folder, the client and the package of svc.',
    where: 'docs/clients.md',
  },
  {
    id: 'CLIENTS-5',
    rule: 'The version of each client is that of svc; a release sets all of them.',
    where: 'docs/clients.md',
  },
]
