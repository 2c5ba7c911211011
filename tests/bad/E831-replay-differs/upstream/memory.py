def layer_input(args):
    return 2 * args.seq_length * args.hidden_size
