def layer_inputs(args):
    return 2 * args.seq_length * args.hidden_size
