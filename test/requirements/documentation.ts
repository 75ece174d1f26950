/** What documentation, gateway recipes and container files promise. */
export default [
  {
    id: 'DOC-1',
    rule: 'every sh and js block of the documentation runs against a new server, and its output matches the output shown below it',
    where: 'issue 12.5',
  },
  {
    id: 'DOC-2',
    rule: 'every page is tested, every area has a page, the index lists all pages, and links within the project work',
    where: 'issue 12.5',
  },
  {
    id: 'DOC-3',
    rule: 'gateway recipes are well-formed and consistent, and contain only hosts, ports and paths that the service has',
    where: 'issue 12.5',
  },
  {
    id: 'DOC-4',
    rule: 'the image starts, responds to its health check and stops on its signal, without root and on unprivileged ports',
    where: 'issue 12.4',
  },
  {
    id: 'DOC-5',
    rule: 'compose files start svc alone, behind Kong as the recipe says, as replicas, and with demos; with few rights',
    where: 'issue 12.4',
  },
  {
    id: 'DOC-6',
    rule: 'the Kubernetes manifests are valid, match the image, and probe existing paths',
    where: 'issue 12.4',
  },
  {
    id: 'DOC-7',
    rule: 'texts and names use plain English, without the words and phrases on the list',
    where: 'CONTRIBUTING.md',
  },
  {
    id: 'DOC-8',
    rule: 'each cell of the comparison about svc is shown by the page that it links to, and what it denies has no page',
    where: 'docs/comparison.md',
  },
  {
    id: 'DOC-9',
    rule: 'words with ?, * or [ are quoted in shell blocks, so that commands work in every shell',
    where: 'distribution 7',
  },
  {
    id: 'DOC-10',
    rule: 'no page starts svc with npx by its bare name, which belongs to an unrelated package',
    where: 'distribution 7',
  },
  {
    id: 'DOC-11',
    rule: 'the README has less than 150 lines and begins with one sentence, one picture, and how to clone, run and try svc',
    where: 'distribution 7',
  },
  {
    id: 'DOC-13',
    rule: 'the comparison shows size and start next to other tools, as a script measured them in one run',
    where: 'distribution 8',
  },
  {
    id: 'DOC-12',
    rule: 'the path of an area, such as /auth, lists its endpoints',
    where: 'distribution 7',
  },
]
