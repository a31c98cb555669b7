const LOG_SIZE = '128MB';

/** Command line options of the embedded server, for a small machine and one application. */
export function settings(socketDir: string, fsync: boolean): string[] {
  const durable = fsync ? 'on' : 'off';
  const values: Record<string, string> = {
    listen_addresses: '',
    unix_socket_directories: socketDir,
    unix_socket_permissions: '0700',
    max_connections: '50',
    shared_buffers: '64MB',
    effective_cache_size: '512MB',
    work_mem: '8MB',
    maintenance_work_mem: '64MB',
    random_page_cost: '1.1',
    // statements are short: parallel workers and JIT compilation cost more than they save, and each process costs memory
    max_parallel_workers_per_gather: '0',
    jit: 'off',
    io_method: 'sync',
    // there are no replicas
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_logical_replication_workers: '0',
    // Equal, so that the write-ahead log reuses a fixed set of files. On a full disk single writes then fail; a log that cannot grow
    // would end the server, reads included.
    min_wal_size: LOG_SIZE,
    max_wal_size: LOG_SIZE,
    fsync: durable,
    synchronous_commit: durable,
    full_page_writes: durable,
    timezone: 'UTC',
    log_timezone: 'UTC',
    // callers report failed statements; the texts of statements contain keys and must not be in a log
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    checkpoint_warning: '0',
    log_line_prefix: '',
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
