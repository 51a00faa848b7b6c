/** Containers and clusters: they run things elsewhere, with other rights than the session's. */

import { each } from '../make-rows.js';
import { provenQueries } from '../match-query.js';
import type { Program, Query } from '../program.js';

const MACHINE_OPTION = /^(?:-a|-q|-aq|-qa|--all|--quiet|--no-trunc|--client|--tail=\d+|-n|\d+)$/;
const machine = (...names: readonly string[]) => names.map((words): Query => ({ words, options: MACHINE_OPTION }));
const removes = (name: string) => (args: readonly string[]) =>
  args.some((arg) => /^(?:prune|rm|rmi)$/.test(arg)) ? `removes containers, images or volumes (${name})` : undefined;
const anywhere = { words: ['--version'], where: 'anywhere' } as const;

export const CONTAINERS: Readonly<Record<string, Program>> = {
  // What runs on the machine: the sandbox has no answer to that.
  docker: {
    reads: provenQueries([
      ...machine('ps', 'images', 'volume ls', 'network ls', 'container ls', 'image ls'),
      { words: 'version' },
      { words: 'info' },
      { words: 'logs', options: MACHINE_OPTION, more: true },
    ]),
    runs: 'remote',
    containers: true,
    destroys: removes('docker'),
    versions: anywhere,
    prefixes: ['build', 'compose build', 'compose logs', 'compose ps', 'images', 'inspect', 'logs', 'ps'],
  },
  'docker-compose': { runs: 'remote', containers: true },
  podman: {
    reads: provenQueries(machine('ps', 'images', 'version', 'info')),
    runs: 'remote',
    privileged: true,
    destroys: removes('podman'),
    versions: anywhere,
  },
  ...each('buildah runc crun nerdctl ctr lxc lxd lxc-attach distrobox toolbox apptainer singularity', {
    runs: 'remote',
    privileged: true,
  }),
  kubectl: {
    reads: provenQueries([{ words: 'version --client' }]),
    runs: 'remote',
    versions: anywhere,
    prefixes: ['describe', 'explain', 'get', 'logs', 'top'],
  },
  ...each('oc k9s minikube kind k3d vagrant multipass wsl', { runs: 'remote' }),
  helm: {
    runs: 'remote',
    versions: { words: ['--version', '-V', '--help'], where: 'trusted' },
    prefixes: ['lint', 'list', 'template'],
  },
};
